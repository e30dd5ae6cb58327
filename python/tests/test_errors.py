"""What goes wrong is an exception with the program's own words, never a panic."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
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
        ({"elo": "high"}, '"high" is no number in range'),
        ({"elo": (2600, 2400)}, "the range ends before it begins"),
        ({"date": "soon"}, "is no date"),
        ({"symmetry": "sideways"}, "unknown variant `sideways`"),
        ({"rerank": "luck"}, "unknown variant `luck`"),
        ({"run": "Best"}, 'no run "Best"'),
        ({"weights": {"center": 1}}, 'no family "center"'),
        ({"k1": -1}, "k1"),
        ({"top": -1}, "top"),
        ({"top": "many"}, "top: invalid digit"),
        ({"result": ["2-0"]}, "expected 1-0, 0-1, 1/2-1/2 or *"),
    ],
)
def test_parameters_that_make_no_sense(
    collection: tabiya.Collection, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(tabiya.QueryError) as caught:
        collection.search(FENS[0], **settings)
    assert words in str(caught.value) and isinstance(caught.value, ValueError)


def test_positions_that_make_no_sense(collection: tabiya.Collection) -> None:
    with pytest.raises(ValueError, match="not a FEN"):
        collection.search("nonsense")
    with pytest.raises(ValueError, match="a king is missing"):
        collection.search(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    with pytest.raises(TypeError, match="a chess.Board or a FEN"):
        collection.search(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="two ends"):
        collection.search(FENS[0], elo=(1, 2, 3))  # type: ignore[typeddict-item]
    with pytest.raises(TypeError, match="no parameter 'colour'; there are"):
        collection.search(FENS[0], colour="white")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="at most 8 games"):
        collection.explore(FENS[0], show_games=9)
    with pytest.raises(ValueError, match="1, 2 or 3 plies"):
        tabiya.compare(FENS[0], FENS[1], depth=4)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"player": b"x"}, TypeError, "player: bytes is neither a text nor a number"),
        ({"player": ["Tal"]}, TypeError, "player: list is neither"),
        ({"top": (1, 2)}, TypeError, "top: tuple is neither"),
        ({"top": None, "reasons": object()}, TypeError, "reasons: object is neither"),
        ({"symmetry": {"swap": 1}}, TypeError, "symmetry: dict is neither"),
        ({"weights": [1, 2]}, TypeError, "nor a mapping to numbers"),
        ({"weights": {"attack": [2]}}, TypeError, "weights: list is neither"),
        ({"result": b"1-0"}, TypeError, "result: bytes is neither .* nor a list of them"),
        ({"exclude_game": [[1]]}, TypeError, "exclude_game: list is neither"),
        ({"eco": {"B20": "B99"}}, TypeError, "eco: dict is neither .* nor a pair of them"),
        ({"date": (b"1900", None)}, TypeError, "date: bytes is neither"),
        ({"elo": [2400]}, TypeError, "a range has two ends, not 1"),
        ({"elo": -5}, tabiya.QueryError, "elo: -5 is below 0"),
        ({"pieces": -12}, tabiya.QueryError, "pieces: -12 is below 0"),
        ({"elo": (-5, 2400)}, tabiya.QueryError, "elo: -5 is below 0"),
        ({"elo": datetime.date(1999, 1, 1)}, tabiya.QueryError, "is no number in range"),
    ],
)
def test_values_that_make_no_sense(
    collection: tabiya.Collection, settings: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        collection.search(FENS[0], **settings)


def test_files_that_are_not_there_or_no_files_of_ours(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tabiya.index(tmp_path / "none.pgn", tmp_path / "db")
    with pytest.raises(FileNotFoundError, match="holds no PGN files"):
        tabiya.index(tmp_path, tmp_path / "db")
    with pytest.raises(ValueError, match="at least one PGN file"):
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
    with pytest.raises(tabiya.QueryError, match="leaves out the first 24 plies"):
        tabiya.index(HISTORY, tmp_path / "db", skip=3)


def test_numbers_out_of_range_are_told(collection: tabiya.Collection, tmp_path: Path) -> None:
    depot = tabiya.Depot(f"file://{tmp_path}/depot")
    [shard, *_] = collection.shards()
    calls: list[tuple[str, Callable[[], object]]] = [
        ("skip is from 0 to 65535, not -1", lambda: tabiya.index(HISTORY, tmp_path, skip=-1)),
        ("not 65536", lambda: tabiya.index(HISTORY, tmp_path, skip=65536)),
        ("threads is from 0 to 1024", lambda: tabiya.index(HISTORY, tmp_path, threads=-1)),
        ("not 65536", lambda: tabiya.build_shards(HISTORY, tmp_path, skip=65536)),
        ("threads", lambda: tabiya.build_shards(HISTORY, tmp_path, threads=-1)),
        ("skip", lambda: depot.publish([], tabiya.Statistics(), skip=-1)),
        ("generation is from 0", lambda: depot.manifest(-1)),
        ("generation", lambda: depot.statistics(2**64)),
        ("generation", lambda: depot.pull(tmp_path, -1)),
        ("game is from 0", lambda: tabiya.ShardGroup([(shard[0], -1)], collection.statistics)),
        ("there is no game 18446744073709551616", lambda: collection.pgn(2**64)),
    ]
    for words, call in calls:
        with pytest.raises(tabiya.QueryError, match=words):
            call()
    group = tabiya.ShardGroup([shard], collection.statistics)
    assert group.moves(2**64) is group.moves(-1) is None
    with pytest.raises(TypeError, match="skip is a whole number, not str"):
        tabiya.index(HISTORY, tmp_path, skip="8")  # type: ignore[arg-type]


def test_damage_is_told(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.tabiya"
    bytes_ = bytearray(next(folder.glob("*.tabiya")).read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    damaged.write_bytes(bytes_)
    with pytest.raises(tabiya.DamagedError, match="damaged"):
        tabiya.Shard(damaged).check()


@pytest.mark.parametrize(
    "kind",
    [tabiya.Answer, tabiya.Explanation, tabiya.Exploration, tabiya.Comparison, tabiya.Encoding],
)
def test_what_is_no_answer_is_told(kind: Any) -> None:
    for text in ('{"error": "too many"}', "[]", "7", "null", "<html>", ""):
        with pytest.raises(tabiya.QueryError, match="not an answer of ours") as caught:
            kind.from_json(text)
        assert text in str(caught.value)


def test_half_a_character_is_told(collection: tabiya.Collection, tmp_path: Path) -> None:
    half = "T\ud83dl"
    depot = tabiya.Depot(f"file://{tmp_path}")
    calls: list[Callable[[], object]] = [
        lambda: collection.search(FENS[0], player=half),
        lambda: collection.search(half),
        lambda: collection.explore(FENS[0], event=half),
        lambda: tabiya.compare(FENS[0], half),
        lambda: tabiya.encode(half),
        lambda: tabiya.merge_answers([half], 3),
        lambda: tabiya.Depot(f"file://{half}"),
        lambda: depot.list(half),
        lambda: depot.get(half),
        lambda: depot.put(half, b""),
    ]
    for call in calls:
        with pytest.raises(tabiya.QueryError, match=r"'\\ud83d' at \d+ is no character"):
            call()


@given(st.text())
def test_no_text_is_a_panic(collection: tabiya.Collection, text: str) -> None:
    for asked in [
        {"fen": text},
        {"fen": FENS[0], "elo": text},
        {"fen": FENS[0], "weights": text},
        {"fen": FENS[0], "top": text},
    ]:
        try:
            collection._inner.search(encoded(asked))
        except tabiya.QueryError:
            pass
    try:
        tabiya.merge_answers([text], 3)
    except tabiya.QueryError:
        pass
    try:
        collection._inner.search(text.encode("utf-8", "replace").decode("utf-8"))
    except tabiya.QueryError:
        pass
