"""Lists the licenses of all dependencies that are shipped: writes THIRD-PARTY.md, or with --check compares it.

    python3 packaging/licenses.py [--check]

Fails if a license is not among those that deny.toml allows.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEAD = """# Third-party software

What the program and the Python package contain, made by `make licenses`. The page contains what `web/package.json`
names under `dependencies`.

| crate | version | license |
|---|---|---|
"""


def shipped() -> list[dict]:
    """The crates of the registry that the program or the Python package needs at run time or to be built."""
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked"]
    meta = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    packages = {it["id"]: it for it in meta["packages"]}
    nodes = {it["id"]: it for it in meta["resolve"]["nodes"]}
    wanted = [it["id"] for it in meta["packages"] if it["name"] in ("tabiya", "tabiya-python")]
    seen: set[str] = set()
    while wanted:
        here = wanted.pop()
        if here in seen:
            continue
        seen.add(here)
        for dependency in nodes[here]["deps"]:
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]):
                wanted.append(dependency["pkg"])
    found = [packages[it] for it in seen if packages[it]["source"]]
    return sorted(found, key=lambda it: (it["name"], it["version"]))


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether a license expression can be met with the allowed licenses."""
    parts = re.split(r"(\(|\)|\bAND\b|\bOR\b|/)", expression)
    words = {"AND": "and", "OR": "or", "/": "or", "(": "(", ")": ")"}
    terms = [it.strip() for it in parts if it.strip()]
    logic = " ".join(words.get(it, str(it in allowed)) for it in terms)
    return bool(eval(logic, {"__builtins__": {}}))


def main() -> None:
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(rules["licenses"]["allow"])
    crates = shipped()
    refused = [it for it in crates if not is_allowed(it["license"] or "", allowed)]
    for crate in refused:
        print(f"{crate['name']} {crate['version']}: {crate['license']} is not allowed by deny.toml")
    rows = [f"| {it['name']} | {it['version']} | {it['license']} |\n" for it in crates]
    text, path = HEAD + "".join(rows), ROOT / "THIRD-PARTY.md"
    if "--check" in sys.argv:
        if not path.exists() or path.read_text() != text:
            sys.exit("THIRD-PARTY.md is out of date; run: make licenses")
    else:
        path.write_text(text)
    if refused:
        sys.exit(1)


main()
