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
from conftest import ANNOTATED, FENS, HISTORY
from tabiya.parameters import encoded


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
    found = json.loads(collection._inner.ask("search", encoded({"fen": fen, **settings})))
    assert list(found) == list(expected)
    assert found.pop("took_ms") > 0 and expected.pop("took_ms") > 0
    assert found == expected


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
    assert all(it.move in board.legal_moves for it in answer.moves)
    assert sum(it.games for it in answer.moves) == answer.move_games <= answer.game_count


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
        ({"ply": (25, None)}, {"ply": "25-"}),
        ({"ply": 40, "variations": True}, {"ply": "40", "variations": "true"}),
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
    asked = {"fen": FENS[0], "top": numpy.int64(2)}
    merged = tabiya.merge("search", asked, [group.part("search", asked)])
    assert merged == collection.search(FENS[0], top=2)


def test_more_hits_than_a_server_returns_can_be_asked_for(collection: tabiya.Collection) -> None:
    answer = collection.search(FENS[3], top=5000)
    assert answer.game_count == sum(it.game_count for it in answer) == collection.games
    alone = collection.search(FENS[3], top=5000, group="none")
    assert len(alone) == collection.games


def test_answers_are_what_python_chess_users_expect(collection: tabiya.Collection) -> None:
    one, two = FENS[0], FENS[4]
    why = collection.explain(one, two, symmetry="all", reasons=5)
    assert len(why.shared) == 5 and abs(sum(why.families.values()) - 1) < 1e-9
    explored = collection.explore(chess.Board())
    assert explored.games > 0 and explored.moves[0].move in chess.Board().legal_moves
    compared = tabiya.compare(FENS[2], two, depth=1)
    assert compared["encoding"] == compared.measures["encoding"] and compared.swapped is not None
    encoding = tabiya.encode(one, query=True)
    assert len(encoding) == encoding.length and not encoding.family("reach")
    assert encoding[0] in encoding and encoding.board() == chess.Board(one)
    record = tabiya.record(one)
    assert record.pieces().board_fen() == record.board == one.split()[0]
    assert tabiya.record(decode=record.key + record.value).board == record.board


def test_annotators_are_heard(tmp_path: Path) -> None:
    tabiya.index(ANNOTATED, tmp_path / "db")
    collection = tabiya.Collection(tmp_path / "db")
    game = collection.moves(1)
    assert game.comments == ("A comment before the first move.", "And another one.")
    assert game.moves[0].glyphs == (1,) and game.moves[3].comments == ("after the variations",)
    assert "(2... Nf6)" in game.pgn and game.pgn == collection.pgn(1)
    board = chess.Board()
    for san in ("e4", "e5", "Nf3", "d6", "Bc4"):
        board.push_san(san)
    assert not collection.explore(board).variations
    explored = collection.explore(board, variations=True)
    assert {it.san for it in explored.variations} == {"Be7", "h6", "Bg4"}
    assert all(it.move in board.legal_moves for it in explored.variations)
    board.push_san("h6")
    [comment] = collection.explore(board, variations=True).comments
    assert (comment.text, comment.game.id, comment.variation) == ("Careful.", 1, 3)
    hit = collection.search(board, variations=True)[0]
    assert (hit.variation, hit.ply, hit.comments) == (3, 6, ("Careful.",))
    assert hit.to_row()["comments"] == "Careful." and hit.board() == board
    assert all(it.variation is None for it in collection.search(board))
    assert all(it.ply >= 8 for it in collection.search(board, variations=True, ply=(8, None)))


def test_the_line_of_a_board_counts(collection: tabiya.Collection) -> None:
    board = chess.Board()
    for san in ("e4", "e5", "Nf3", "Nc6"):
        board.push_san(san)
    cases = collection.cases(board)
    assert cases.settings["moves"] == "e2e4 e7e5 g1f3 b8c6"
    assert cases.actions == ("Nc6",) and cases.board() == board
    assert cases.count == collection.cases(board.fen(), last_move="Nc6").count > 0
    assert cases.reactions[0].move in board.legal_moves
    with pytest.raises(tabiya.QueryError, match="last_move: give the move"):
        collection.cases(board.fen())
    chosen = collection.play(board, nodes=500)
    assert chosen.move in board.legal_moves and chosen.mode == "prior"
    assert chosen.memory.because is not None and chosen.memory.remembered
    assert chosen == collection.play(board, nodes=500)
    assert collection.play(board, nodes=100, without_cases=True).mode is None
    mated = chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert collection.play(mated, nodes=10).move is None
    # A null move is not part of a line, which begins after the last one.
    board.push(chess.Move.null())
    board.push_san("a6")
    after = collection.cases(board)
    assert (after.settings["moves"], after.actions) == ("a7a6", ("a6",))
    board.push(chess.Move.null())
    assert collection.play(board, nodes=10).settings["moves"] is None


def test_many_searches_are_each_the_same_as_one(collection: tabiya.Collection) -> None:
    positions = [chess.Board(FENS[0]), *FENS[1:], *FENS]
    many = collection.search_many(positions, top=3, symmetry="all")
    assert many == [collection.search(it, top=3, symmetry="all") for it in positions]
    assert collection.search_many([]) == []
    games = [1, 2, 3]
    without = collection.search_many(FENS[:2], exclude_game=iter(games))
    assert without == [collection.search(it, exclude_game=games) for it in FENS[:2]]
    assert collection.search_many(iter(FENS[:2])) == [collection.search(it) for it in FENS[:2]]
    table = tabiya.to_pandas(many)
    assert list(table["query"]) == [at for at in range(len(positions)) for _ in range(3)]
    assert list(table.game) == [hit.game.id for answer in many for hit in answer]


def test_many_searches_name_the_position_that_is_wrong(collection: tabiya.Collection) -> None:
    with pytest.raises(tabiya.QueryError, match=r"^positions\[2\]: fen: "):
        collection.search_many([*FENS[:2], "nonsense", *FENS])
    with pytest.raises(TypeError, match=r"^positions\[1\]: .* not int"):
        collection.search_many([FENS[0], 7])  # type: ignore[list-item]


def test_a_collection_is_its_games(collection: tabiya.Collection) -> None:
    games = list(collection)
    assert len(games) == len(collection)
    assert str(games[2]) == str(collection.game(3))
    lazily = iter(collection)
    assert next(lazily).headers["White"] == collection.moves(1).game.white
    replayed = collection.game(5).board()
    for ply, move in zip(collection.moves(5).moves, collection.game(5).mainline_moves(), strict=True):
        replayed.push(move)
        assert ply.move == move and ply.board() == replayed


def test_a_collection_says_what_it_is(collection: tabiya.Collection, folder: Path) -> None:
    assert collection.path == folder and collection.skip == 8
    assert len(collection) == collection.games > 100
    assert collection.statistics.positions == collection.positions
    assert sum(tabiya.Shard(path).games for path, _ in collection.shards()) == collection.games
    again = pickle.loads(pickle.dumps(collection))
    assert again.games == collection.games
    assert str(collection.games) in repr(collection)
    last = f"; the last is game {collection.games}"
    for number in (0, collection.games + 1):
        for ask in (collection.pgn, collection.game, collection.moves):
            with pytest.raises(tabiya.MissingGameError, match=f"there is no game {number}{last}") as it:
                ask(number)
            assert isinstance(it.value, LookupError)


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
