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


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("up --head --port 65536", 'from 0 to 65535, not "65536"'),
        ("up --head --cpus -1", "at least 0"),
        ("build a b --skip 65536", "from 0 to 65535"),
        ("build a b --skip many", 'not "many"'),
        ("serve a --port -1", "from 0 to 65535"),
        ("serve a --deadline 0", "more than 0"),
        ("serve a --deadline nan", "more than 0"),
        ("serve a --deadline inf", "more than 0"),
        ("serve a --replicas 0", "at least 1"),
        ("serve a --groups 0", "at least 1"),
        ("serve a --generation 0", "at least 1"),
        ("serve a --address example.org", '127.0.0.1 or 0.0.0.0 for all, not "example.org"'),
        ("serve a --behind 127.0.0.1:7777", "begins with http:// or https://"),
        ("down --generation -1", "at least 1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_at_once(capsys, line, words):
    # A minus would be an option of its own.
    with pytest.raises(SystemExit) as ended:
        command.main(line.replace(" -1", "=-1").split())
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "address"), [("localhost", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("[::1]", "::1")]
)
def test_an_address_to_listen_at_may_be_said_in_several_ways(given, address):
    assert command.parser().parse_args(["serve", "a", "--address", given]).address == address
