"""What the verbs show while they work."""

import importlib.util

import pytest
from tabiya.cluster import command
from tabiya.cluster.command import Progress


def test_progress_tells_rate_and_what_is_left():
    now = [100.0]
    progress = Progress(clock=lambda: now[0])
    assert progress.line(0, 1200) == "0 of 1,200 files"
    now[0] += 90
    assert progress.line(300, 1200) == "300 of 1,200 files, 200.0 a minute, 0:04:30 left"


def test_a_package_without_the_extra_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(command.node, "up", lambda node: pytest.fail("a token would be written"))
    assert command.main(["up", "--head"]) == 1
    assert capsys.readouterr().err == (
        "tabiya-cluster: ray and aiohttp not installed; a cluster needs the extra: "
        'pip install "./python[cluster]" in the repository\n'
    )
