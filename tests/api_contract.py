"""Tests the running server against its OpenAPI description.

Usage: api_contract.py PROGRAM

Starts the program with the built-in sample and lets schemathesis send valid and invalid
requests. Fails if an answer has a status, type or schema that the description does not
allow, or if the server has an internal error.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = 12
SEED = 1

# A schema cannot fully describe a position or a range, so the server may reject requests
# that fit the schema. The checks require that it rejects them as described.
CHECKS = ",".join(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "unsupported_method",
    ]
)


def main() -> int:
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "XDG_CACHE_HOME": home}
        command = [program, "serve", "--port", "0", "--json", "--log", "error"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        try:
            address = json.loads(server.stdout.readline())["address"]
            return ask(address, home)
        finally:
            server.terminate()
            if server.wait(timeout=30) != 0:
                raise SystemExit(f"the server exited with {server.returncode}")


def ask(address: str, folder: str) -> int:
    schemathesis = Path(sys.executable).parent / "schemathesis"
    command = [
        schemathesis,
        "run",
        f"{address}/api/v1/openapi.json",
        "--phases=examples,coverage,fuzzing",
        f"--max-examples={EXAMPLES}",
        f"--seed={SEED}",
        f"--checks={CHECKS}",
        "--generation-database=none",
        # Above the 20 s in which the server answers, however busy the machine.
        "--request-timeout=60",
        "--no-color",
    ]
    return subprocess.run(command, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
