"""What goes wrong is an exception that names the parameter and the remedy, never a panic."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tabiya
from conftest import FENS, HISTORY, ROOT
from tabiya.parameters import encoded


def program_says(*words: str) -> str:
    binary = os.environ.get("TABIYA", str(ROOT / "target" / "debug" / "tabiya"))
    return subprocess.run([binary, *words], capture_output=True, text=True).stderr


def test_no_collection(tmp_path: Path) -> None:
    with pytest.raises(tabiya.NotACollectionError) as caught:
        tabiya.Collection(tmp_path)
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, tabiya.TabiyaError)
    assert str(caught.value) in program_says("search", FENS[0], "--db", str(tmp_path))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"elo": "high"}, 'elo: "high" is not a rating; try 2400-2600'),
        ({"elo": (2600, 2400)}, "elo: the range ends before it begins"),
        ({"date": "soon"}, 'date: "soon" is not a date; try 1999'),
        ({"symmetry": "sideways"}, 'symmetry: "sideways" is not one of none, swap, mirror, all'),
        ({"rerank": "luck"}, 'rerank: "luck" is not one of none, likeness, continuations'),
        ({"run": "Best"}, 'run: "Best" is not one of TruePos'),
        ({"weights": {"center": 1}}, 'weights: "center" is not a family; the families are'),
        ({"k1": -1}, "k1 is -1, expected a number from 0 to 1000"),
        ({"top": -1}, "top: "),
        ({"top": "many"}, "top: "),
        ({"result": ["2-0"]}, r"result: expected 1-0, 0-1, 1/2-1/2 or \*"),
    ],
)
def test_invalid_parameters(
    collection: tabiya.Collection, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(tabiya.QueryError, match=f"^{words}") as caught:
        collection.search(FENS[0], **settings)
    assert isinstance(caught.value, ValueError)
    assert "unknown variant" not in str(caught.value)


def test_invalid_positions(collection: tabiya.Collection) -> None:
    with pytest.raises(ValueError, match="not a FEN"):
        collection.search("nonsense")
    with pytest.raises(ValueError, match="a king is missing"):
        collection.search(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    with pytest.raises(TypeError, match="a chess.Board or a FEN"):
        collection.search(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="two ends"):
        collection.search(FENS[0], elo=(1, 2, 3))  # type: ignore[typeddict-item]
    with pytest.raises(TypeError, match="colour: unknown parameter; expected one of"):
        collection.search(FENS[0], colour="white")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="^depth: "):
        tabiya.compare(FENS[0], FENS[1], depth=4)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"player": b"x"}, TypeError, "player: expected a text or a number, not bytes"),
        ({"player": ["Tal"]}, TypeError, "player: .* not list"),
        ({"top": (1, 2)}, TypeError, "top: .* not tuple"),
        ({"top": None, "reasons": object()}, TypeError, "reasons: .* not object"),
        ({"symmetry": {"swap": 1}}, TypeError, "symmetry: .* not dict"),
        ({"weights": [1, 2]}, TypeError, "or a mapping to numbers, not list"),
        ({"weights": {"attack": [2]}}, TypeError, "weights: .* not list"),
        ({"result": b"1-0"}, TypeError, "result: .* or a list of them, not bytes"),
        ({"exclude_game": [[1]]}, TypeError, "exclude_game: .* not list"),
        ({"eco": {"B20": "B99"}}, TypeError, "eco: .* or a pair of them, not dict"),
        ({"date": (b"1900", None)}, TypeError, "date: .* not bytes"),
        ({"elo": [2400]}, TypeError, "elo: expected a range with two ends, not 1"),
        ({"elo": -5}, tabiya.QueryError, "elo: -5 is below 0"),
        ({"pieces": -12}, tabiya.QueryError, "pieces: -12 is below 0"),
        ({"elo": (-5, 2400)}, tabiya.QueryError, "elo: -5 is below 0"),
        ({"elo": datetime.date(1999, 1, 1)}, tabiya.QueryError, "elo: .* is not a rating"),
    ],
)
def test_invalid_values(
    collection: tabiya.Collection, settings: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        collection.search(FENS[0], **settings)


def test_files_that_are_not_there_or_no_files_of_ours(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tabiya.index(tmp_path / "none.pgn", tmp_path / "db")
    with pytest.raises(FileNotFoundError, match="holds no files of games"):
        tabiya.index(tmp_path, tmp_path / "db")
    with pytest.raises(ValueError, match="give at least one"):
        tabiya.index([], tmp_path / "db")
    with pytest.raises(FileNotFoundError):
        tabiya.Shard(tmp_path / "none.tabiya")
    foreign = tmp_path / "foreign.tabiya"
    foreign.write_bytes(b"something else" * 100)
    with pytest.raises(tabiya.DamagedError):
        tabiya.Shard(foreign)
    broken = tmp_path / "broken.pgn.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03 not really")
    with pytest.raises(tabiya.IncompleteError) as caught:
        tabiya.index(broken, tmp_path / "db")
    assert isinstance(caught.value.report, tabiya.Report)
    tabiya.index(HISTORY, tmp_path / "db")
    with pytest.raises(tabiya.QueryError, match="leaves out the first 0 plies"):
        tabiya.index(HISTORY, tmp_path / "db", skip=3)


def test_numbers_out_of_range_are_reported(collection: tabiya.Collection, tmp_path: Path) -> None:
    depot = tabiya.Depot(f"file://{tmp_path}/depot")
    [shard, *_] = collection.shards()
    calls: list[tuple[str, Callable[[], object]]] = [
        ("skip: -1 is not a number from 0 to 65535", lambda: tabiya.index(HISTORY, tmp_path, skip=-1)),
        ("skip: 65536 is not", lambda: tabiya.index(HISTORY, tmp_path, skip=65536)),
        ("threads: -1 is not a number from 0 to 1024", lambda: tabiya.index(HISTORY, tmp_path, threads=-1)),
        ("skip: 65536 is not", lambda: tabiya.build_shards(HISTORY, tmp_path, skip=65536)),
        ("threads", lambda: tabiya.build_shards(HISTORY, tmp_path, threads=-1)),
        ("skip", lambda: depot.publish([], tabiya.Statistics(), skip=-1)),
        ("generation: -1 is not", lambda: depot.manifest(-1)),
        ("generation", lambda: depot.statistics(2**64)),
        ("generation", lambda: depot.pull(tmp_path, -1)),
        ("game: -1 is not", lambda: tabiya.ShardGroup([(shard[0], -1)], collection.statistics)),
        ("skip", lambda: tabiya.ShardGroup([shard], collection.statistics, skip=-1)),
        ("^id: ", lambda: collection.moves(2**64)),
        ("^id: ", lambda: collection.moves(-1)),
    ]
    for words, call in calls:
        with pytest.raises(tabiya.QueryError, match=words):
            call()
    with pytest.raises(tabiya.MissingGameError, match="there is no game 18446744073709551616"):
        collection.pgn(2**64)
    with pytest.raises(TypeError, match="skip: expected a whole number, not str"):
        tabiya.index(HISTORY, tmp_path, skip="8")  # type: ignore[arg-type]


def test_damage_is_reported(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.tabiya"
    bytes_ = bytearray(next(folder.glob("*.tabiya")).read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    damaged.write_bytes(bytes_)
    with pytest.raises(tabiya.DamagedError, match="damaged"):
        tabiya.Shard(damaged).check()


def test_half_a_character_is_reported(collection: tabiya.Collection, tmp_path: Path) -> None:
    half = "T\ud83dl"
    depot = tabiya.Depot(f"file://{tmp_path}")
    calls: list[Callable[[], object]] = [
        lambda: collection.search(FENS[0], player=half),
        lambda: collection.search(half),
        lambda: collection.explore(FENS[0], event=half),
        lambda: tabiya.compare(FENS[0], half),
        lambda: tabiya.encode(half),
        lambda: tabiya.merge(half, {}, []),
        lambda: tabiya.Depot(f"file://{half}"),
        lambda: depot.list(half),
        lambda: depot.get(half),
        lambda: depot.put(half, b""),
    ]
    for call in calls:
        with pytest.raises(tabiya.QueryError, match=r"'\\ud83d' at \d+ is not a character"):
            call()


@settings(deadline=None)
@given(st.text())
def test_no_text_causes_a_panic(collection: tabiya.Collection, text: str) -> None:
    for asked in [
        {"fen": text},
        {"fen": FENS[0], "elo": text},
        {"fen": FENS[0], "weights": text},
        {"fen": FENS[0], "top": text},
    ]:
        try:
            collection._inner.ask("search", encoded(asked))
        except tabiya.QueryError:
            pass
    sound = text.encode("utf-8", "replace").decode("utf-8")
    for question in ("search", "explore", "twins", "near"):
        try:
            tabiya.merge(question, {"fen": FENS[0]}, [sound.encode()])
        except tabiya.QueryError:
            pass
    try:
        collection._inner.ask("search", sound)
    except tabiya.QueryError:
        pass
