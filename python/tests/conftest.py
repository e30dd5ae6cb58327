"""Collections to ask: the historical games of the sample, made once. And a Ray that is
not there, for what of a cluster is tested without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import hypothesis
import pytest

import tabiya

# The same examples in every run, so that a check never fails by chance; `HYPOTHESIS_PROFILE=default` draws others.
hypothesis.settings.register_profile("fixed", derandomize=True, database=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

ROOT = Path(__file__).resolve().parents[2]
HISTORY = ROOT / "sample" / "historical"
ANNOTATED = ROOT / "tests" / "fixtures" / "annotated.pgn"

FENS = [
    "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
    "r1bqkb1r/pp2pppp/2np1n2/6B1/3NP3/2N5/PPP2PPP/R2QKB1R b KQkq - 4 6",
    "8/5pk1/6p1/7p/3R3P/5PP1/r5K1/8 w - - 0 40",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "2kr3r/ppp2ppp/2n1b3/8/8/2N1B3/PPP2PPP/2KR3R b - - 0 14",
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of the historical games."""
    folder = tmp_path_factory.mktemp("history") / "db"
    tabiya.index(HISTORY, folder, skip=8)
    return folder


@pytest.fixture(scope="session")
def collection(folder: Path) -> tabiya.Collection:
    return tabiya.Collection(folder)


@pytest.fixture(scope="session")
def program(folder: Path) -> Callable[..., Any]:
    """Runs the program on the collection and reads its JSON."""
    binary = os.environ.get("TABIYA", str(ROOT / "target" / "debug" / "tabiya"))

    def run(*words: str, db: bool = True) -> Any:
        line = [binary, *words, "--json", *(["--db", str(folder)] if db else [])]
        return json.loads(subprocess.run(line, check=True, capture_output=True).stdout)

    return run


class RayTaskError(Exception):
    """What Ray raises if a task or a call did."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("a remote traceback")
        self.cause = cause


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Modules by the names that the cluster imports; a test puts in what it needs."""
    ray: Any = ModuleType("ray")
    ray.exceptions = ModuleType("ray.exceptions")
    ray.exceptions.RayError = Exception
    ray.exceptions.RayTaskError = RayTaskError
    ray.util = ModuleType("ray.util")
    ray.util.get_node_ip_address = lambda: "10.0.0.2"
    ray.get_runtime_context = lambda: SimpleNamespace(gcs_address="10.0.0.1:6379")
    for it in (ray, ray.exceptions, ray.util):
        monkeypatch.setitem(sys.modules, it.__name__, it)
    return ray
