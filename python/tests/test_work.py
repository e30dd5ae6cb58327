"""Work goes on without the interpreter's lock, and stops when it is asked to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tabiya
from conftest import FENS, ROOT


def test_other_threads_run_meanwhile(tmp_path: Path) -> None:
    """The import waits (at the end of a pipe) for games that only another thread can
    give it: with the lock held, neither would ever get on."""
    pipe = tmp_path / "games.pgn"
    os.mkfifo(pipe)

    def write() -> None:
        with open(pipe, "w") as games:
            games.write('[White "Anna"]\n\n1. e4 e5 2. Nf3 Nc6 *\n')

    writer = threading.Thread(target=write)
    writer.start()
    report = tabiya.index(pipe, tmp_path / "db", skip=0)
    writer.join()
    assert report.games == 1


def test_threads_ask_one_collection(collection: tabiya.Collection) -> None:
    expected = [collection.search(fen).hits for fen in FENS]
    found: list[object] = [None] * len(FENS)

    def ask(at: int) -> None:
        found[at] = collection.search(FENS[at]).hits

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(len(FENS))]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert found == expected


def test_a_raising_callback_stops_an_import(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(_: tabiya.Progress) -> None:
        raise Enough

    with pytest.raises(Enough):
        tabiya.index(ROOT / "sample" / "sample.pgn.zst", tmp_path / "db", progress=stop)


def test_ctrl_c_stops_an_import_and_keeps_what_is_finished(tmp_path: Path) -> None:
    """The import reads from a pipe that stays open, so only Ctrl-C can end it."""
    pipe = tmp_path / "games.pgn"
    os.mkfifo(pipe)
    script = (
        "import signal, sys, tabiya\n"
        # Where the tests run in the background, children ignore Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    look = lambda it: print('on', flush=True)\n"
        "    tabiya.index(sys.argv[1], sys.argv[2], skip=0, progress=look)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
    )
    line = [sys.executable, "-c", script, str(pipe), str(tmp_path / "db")]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        with open(pipe, "w") as games:
            games.write('[White "Anna"]\n\n1. e4 e5 *\n\n')
            games.flush()
            assert child.stdout.readline() == "on\n"
            child.send_signal(signal.SIGINT)
        assert child.stdout.read().endswith("stopped\n")
        assert child.wait() == 0
