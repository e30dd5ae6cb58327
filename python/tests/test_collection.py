"""Asking a collection: the same answers as the program, in Python's own words."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import chess
import pytest

import tabiya
from conftest import FENS, HISTORY
from tabiya.parameters import encoded


def timeless(answer: Any) -> Any:
    return {name: it for name, it in answer.items() if name != "took_ms"}


SETTINGS: list[dict[str, Any]] = [
    {},
    {"top": 3, "symmetry": "all", "reasons": 9},
    {"top": 40, "run": "Tabiya"},
    {"top": 5, "rerank": "blend"},
    {"weights": "attack=2,place=0.5", "k1": 0.7, "b": 0.3, "date": "1850-1950"},
    {"side_to_move": "same", "material": "same", "result": "1-0,0-1"},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("fen", FENS[:3])
def test_the_program_gives_the_same_json(
    collection: tabiya.Collection, program: Callable[..., Any], fen: str, settings: dict[str, Any]
) -> None:
    words = [f"--{name.replace('_', '-')}={it}" for name, it in settings.items()]
    expected = program("search", fen, *words)
    found = json.loads(collection._inner.search(encoded({"fen": fen, **settings})))
    assert timeless(found) == timeless(expected)
    assert list(found) == list(expected)


def test_hits_are_what_python_chess_users_expect(collection: tabiya.Collection) -> None:
    board = chess.Board(FENS[0])
    answer = collection.search(board, top=4)
    assert len(answer) == 4 and answer[0] is answer.hits[0] and list(answer) == list(answer.hits)
    assert [it.rank for it in answer] == [1, 2, 3, 4]
    assert answer.board() == board
    for hit in answer:
        game = collection.game(hit.game.id)
        assert game.headers["White"] == hit.game.white
        reached = game.board()
        for move in list(game.mainline_moves())[: hit.ply]:
            reached.push(move)
        assert reached == hit.board()
        for move in hit.next_moves():
            assert move in reached.legal_moves
            reached.push(move)
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer[0].rank = 2  # type: ignore[misc]
    legal = [it for it in answer.moves if it.legal]
    assert all(it.move in board.legal_moves for it in legal)
    assert sum(it.games for it in answer.moves) <= len(answer)


def test_python_words_mean_the_same_as_texts(collection: tabiya.Collection) -> None:
    fen = FENS[0]
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"date": (1850, 1900)}, {"date": "1850-1900"}),
        ({"date": (1900, None)}, {"date": "1900-"}),
        ({"pieces": (None, 20)}, {"pieces": "-20"}),
        ({"result": ["1-0", "1/2-1/2"]}, {"result": "1-0,1/2-1/2"}),
        ({"weights": {"attack": 2, "ray": 0.5}}, {"weights": "attack=2,ray=0.5"}),
        ({"exclude_game": [1, 2, 3]}, {"exclude_game": "1,2,3"}),
        ({"date": [1850, 1900]}, {"date": "1850-1900"}),
        ({"date": (datetime.date(1850, 2, 3), None)}, {"date": "1850.02.03-"}),
        ({"date": datetime.datetime(1851, 1, 1)}, {"date": "1851.01.01"}),
        ({"exclude_game": {7}}, {"exclude_game": "7"}),
        ({"k1": Fraction(1, 2)}, {"k1": "0.5"}),
    ]
    for words, texts in pairs:
        assert collection.search(fen, **words).hits == collection.search(fen, **texts).hits


def test_numbers_of_numpy_are_numbers(collection: tabiya.Collection) -> None:
    numpy = pytest.importorskip("numpy")
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"top": numpy.int64(3)}, {"top": 3}),
        ({"k1": numpy.float64(0.5), "b": numpy.float32(0.25)}, {"k1": 0.5, "b": 0.25}),
        ({"date": (numpy.uint16(1850), None)}, {"date": "1850-"}),
        ({"exclude_game": numpy.array([1, 2])}, {"exclude_game": [1, 2]}),
        ({"weights": {"attack": numpy.float64(2)}}, {"weights": "attack=2"}),
    ]
    for words, texts in pairs:
        assert collection.search(FENS[0], **words).hits == collection.search(FENS[0], **texts).hits
    assert collection.pgn(numpy.int64(1)) == collection.pgn(1)
    group = tabiya.ShardGroup(
        [(path, numpy.int64(first)) for path, first in collection.shards()], collection.statistics
    )
    part = group.answer_part({"fen": FENS[0], "top": numpy.int64(2)})
    assert len(json.loads(tabiya.merge_answers([part], numpy.int64(2)))["hits"]) == 2


def test_more_hits_than_a_server_tells_can_be_asked_for(collection: tabiya.Collection) -> None:
    answer = collection.search(FENS[3], top=5000)
    assert len(answer) == min(5000, collection.games)


def test_explain_explore_compare_encode_are_the_programs(
    collection: tabiya.Collection, program: Callable[..., Any]
) -> None:
    one, two = FENS[0], FENS[4]
    why = collection.explain(one, two, symmetry="all", reasons=5)
    assert why == tabiya.Explanation.from_json(
        json.dumps(program("explain", one, two, "--symmetry=all", "--reasons=5"))
    )
    assert len(why.shared) == 5 and abs(sum(why.families.values()) - 1) < 1e-9
    explored = collection.explore(chess.Board())
    told = program("explore", chess.STARTING_FEN)
    assert explored == tabiya.Exploration.from_json(json.dumps(told))
    assert explored.games > 0 and explored.moves[0].move in chess.Board().legal_moves
    compared = tabiya.compare(one, two)
    told = program("compare", one, two, "--more", db=False)
    assert compared == tabiya.Comparison.from_json(json.dumps(told))
    assert compared["encoding"] == told["encoding"] and compared.swapped is not None
    encoding = tabiya.encode(one, query=True)
    told = program("encode", one, "--query", db=False)
    assert encoding == tabiya.Encoding.from_json(json.dumps(told))
    assert len(encoding) == encoding.length and not encoding.family("reach")


def test_empty_tables_have_the_columns_of_others(collection: tabiya.Collection) -> None:
    pytest.importorskip("pandas")
    found, nothing = (collection.search(FENS[0], top=it) for it in (3, 0))
    encoding = tabiya.encode(FENS[0])
    why = collection.explain(FENS[0], FENS[1])
    tables = [
        (found.to_pandas(), nothing.to_pandas()),
        (found.moves_to_pandas(), nothing.moves_to_pandas()),
        (why.to_pandas(), collection.explain(FENS[0], FENS[1], reasons=0).to_pandas()),
        (collection.explore(FENS[3]).to_pandas(), collection.explore(FENS[2]).to_pandas()),
        (encoding.to_pandas(), dataclasses.replace(encoding, terms=()).to_pandas()),
    ]
    for full, empty in tables:
        assert len(full) > 0 == len(empty)
        assert list(full.columns) == list(empty.columns)


def test_answers_can_be_keys(collection: tabiya.Collection) -> None:
    one, same = (collection.search(FENS[0], rerank="blend") for _ in range(2))
    assert len({*one, *same}) == len(one)
    assert hash(one) == hash(dataclasses.replace(same, took_ms=one.took_ms))
    assert len({collection.explain(FENS[0], FENS[1]) for _ in range(2)}) == 1
    assert len({tabiya.compare(FENS[0], FENS[4]) for _ in range(2)}) == 1
    assert len({tabiya.encode(FENS[0]) for _ in range(2)}) == 1
    assert len({collection.explore(FENS[3]) for _ in range(2)}) == 1


def test_tables(collection: tabiya.Collection) -> None:
    pandas = pytest.importorskip("pandas")
    answer = collection.search(FENS[0], rerank="continuations")
    table = answer.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(answer)
    assert {"rank", "similarity", "game", "white", "rerank_similarity"} <= set(table.columns)
    assert list(answer.moves_to_pandas().san) == [it.san for it in answer.moves]
    assert len(collection.explore(chess.Board()).to_pandas()) > 0
    assert len(collection.explain(FENS[0], FENS[1]).to_pandas()) == 12
    assert "swapped" in tabiya.compare(FENS[0], FENS[4]).to_pandas().columns
    assert len(tabiya.encode(FENS[2]).to_pandas()) == len(tabiya.encode(FENS[2]))


def test_a_collection_says_what_it_is(collection: tabiya.Collection, folder: Path) -> None:
    assert collection.path == folder and collection.skip == 8
    assert len(collection) == collection.games > 100
    assert collection.statistics.positions == collection.positions
    assert sum(tabiya.Shard(path).games for path, _ in collection.shards()) == collection.games
    again = pickle.loads(pickle.dumps(collection))
    assert again.games == collection.games
    assert str(collection.games) in repr(collection)
    with pytest.raises(tabiya.QueryError, match="there is no game 0"):
        collection.pgn(0)
    with pytest.raises(ValueError, match="there are"):
        collection.game(collection.games + 1)


def test_an_import_reports_and_goes_on(tmp_path: Path) -> None:
    seen: list[tabiya.Progress] = []
    report = tabiya.index([HISTORY], tmp_path / "db", progress=seen.append)
    assert seen[-1].games == report.games > 100
    assert seen[-1].bytes == seen[-1].total_bytes
    again = tabiya.index(HISTORY, tmp_path / "db")
    assert again.games == 0 and again.duplicates >= report.games
    bad = tmp_path / "bad.pgn"
    bad.write_text('[White "A"]\n\n1. e4 e5 2. Ke3 *\n')
    report = tabiya.index(str(bad), tmp_path / "bad", skip=0)
    assert report.cut_short == 1 and "bad.pgn:1" in report.problems[0]
