"""Answers: the same JSON as the program's, as dataclasses, rows and tables."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

import tabiya
from conftest import FENS
from tabiya import _native
from tabiya.answer import GameHeader
from tabiya.parameters import encoded

LINE = "e4 e5 Nf3 Nc6".split()


def board() -> chess.Board:
    """A board with the moves that led to it."""
    board = chess.Board()
    for san in LINE:
        board.push_san(san)
    return board


# A game with a blunder, as in the file for the program.
MISTAKES = (Path(__file__).parent / "mistakes.pgn").read_text()


def asked(collection: tabiya.Collection) -> dict[str, tabiya.Answer]:
    """An answer to every question."""
    one, two = FENS[0], FENS[4]
    answers = [
        collection.search(one, rerank="blend", top=4, date=(1850, 1950)),
        collection.explain(one, two, symmetry="all", reasons=5),
        collection.find("flipcolor {Pd4 pd5 sort \"pawns\" #P}", top=3, like=one),
        tabiya.structures(FENS[2]),
        collection.cases(board(), top=3, threshold=0.3),
        collection.explore(chess.Board(), show_games=2),
        collection.twins(board(), result="1-0"),
        collection.near(one, top=3, chi2=2),
        tabiya.record(one),
        tabiya.compare(FENS[2], FENS[4], depth=1, matches=3),
        collection.traps(FENS[2], top=2),
        tabiya.encode(one, query=True),
        collection.exercises(one, top=2, rating=(1000, 2000)),
        collection.moves(7),
        collection.stats(),
        collection.play(board(), nodes=300, mode="restrict+tactics"),
        collection.review(MISTAKES, nodes=300, similar=1),
        collection.prepare("Morphy", depth=6, top=3),
    ]
    return {it.question: it for it in answers}


@pytest.fixture(scope="module")
def answers(collection: tabiya.Collection) -> dict[str, tabiya.Answer]:
    found = asked(collection)
    assert list(found) == _native.questions()
    return found


# How the same is asked on the command line.
WORDS = {
    "search": [FENS[0], "--rerank=blend", "--top=4", "--date=1850-1950"],
    "explain": [FENS[0], FENS[4], "--symmetry=all", "--reasons=5"],
    "find": ['flipcolor {Pd4 pd5 sort "pawns" #P}', "--top=3", "--like", FENS[0]],
    "structures": [FENS[2]],
    "cases": ["--moves", " ".join(LINE), "--top=3", "--threshold=0.3"],
    "explore": [chess.STARTING_FEN, "--show-games=2"],
    "twins": [board().fen(), "--result=1-0"],
    "near": [FENS[0], "--top=3", "--chi2=2"],
    "record": [FENS[0]],
    "compare": [FENS[2], FENS[4], "--depth=1", "--matches=3"],
    "traps": [FENS[2], "--top=2"],
    "encode": [FENS[0], "--query"],
    "exercises": [FENS[0], "--top=2", "--rating=1000-2000"],
    "game": ["7"],
    "stats": [],
    "play": ["--moves", " ".join(LINE), "--nodes=300", "--mode=restrict+tactics"],
    "review": [str(Path(__file__).parent / "mistakes.pgn"), "--nodes=300", "--similar=1"],
    "prepare": ["--against=Morphy", "--depth=6", "--top=3"],
}


@pytest.mark.parametrize("question", _native.questions())
def test_the_program_gives_the_same_document(
    answers: dict[str, tabiya.Answer], program: Callable[..., Any], question: str
) -> None:
    found, expected = answers[question].to_dict(), program(question, *WORDS[question])
    assert found.pop("took_ms") > 0 and expected.pop("took_ms") > 0
    assert found == expected


@pytest.mark.parametrize("question", _native.questions())
def test_a_document_is_read_and_written(
    answers: dict[str, tabiya.Answer], question: str
) -> None:
    answer = answers[question]
    text = json.dumps(answer.to_dict())
    for again in (tabiya.Answer.from_json(text), type(answer).from_json(text.encode())):
        assert type(again) is type(answer) and again == answer
        assert again.to_dict() == json.loads(text)
    hash(answer)
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.schema = 9  # type: ignore[misc]


def test_nothing_of_a_document_is_lost(collection: tabiya.Collection) -> None:
    text = collection._inner.ask("search", encoded({"fen": FENS[0], "rerank": "blend"}))
    assert tabiya.SearchAnswer.from_json(text).to_dict() == json.loads(text)
    text = _native.ask("compare", encoded({"fen": FENS[2], "other": FENS[4], "depth": 1}))
    assert "swapped" in json.loads(text)
    assert tabiya.CompareAnswer.from_json(text).to_dict() == json.loads(text)


def test_time_and_shards_do_not_make_answers_different(collection: tabiya.Collection) -> None:
    one, same = (collection.search(FENS[0], rerank="blend") for _ in range(2))
    other = collection.search(FENS[1], rerank="blend")
    assert one == same != other and len({one, same, other}) == 2
    document = {**one.to_dict(), "shards": {"answered": 3, "total": 4}}
    covered = tabiya.SearchAnswer.from_json(json.dumps(document))
    assert covered == one and covered.to_dict() == document
    assert covered.shards is not None and covered.shards.answered == 3 and one.shards is None


def test_settings_ask_again(collection: tabiya.Collection) -> None:
    answer = collection.search(FENS[0], top=3, weights={"attack": 2}, date=(1850, None))
    again = collection._inner.ask("search", encoded(answer.settings))
    assert tabiya.SearchAnswer.from_json(again) == answer


def test_dates_are_dates_where_they_are_complete(collection: tabiya.Collection) -> None:
    [hit] = collection.search(FENS[0], top=1)
    for text, day in [
        ("1972.07.11", datetime.date(1972, 7, 11)),
        ("1972.07.??", None),
        ("????.??.??", None),
        ("1999.02.30", None),
    ]:
        assert dataclasses.replace(hit.game, date=text).day == day
    game = next(it.game for it in collection.search(FENS[0], top=50) if it.game.day)
    assert game.day is not None and game.day.year == game.year
    assert "1920.??.??" in {collection.moves(1).game.date}


def test_what_is_unknown_is_none(collection: tabiya.Collection) -> None:
    header: GameHeader = collection.moves(1).game
    assert (header.white_elo, header.black_elo, header.year) == (None, None, 1920)
    assert all(it.average_elo is None for it in collection.search(FENS[0]).moves)


@pytest.mark.parametrize("question", _native.questions())
def test_what_is_not_an_answer_is_reported(
    answers: dict[str, tabiya.Answer], question: str
) -> None:
    kind = type(answers[question])
    document = answers[question].to_dict()
    lacking = {**document, "settings": None}
    foreign = {**document, "question": "riddle"}
    texts = ['{"error": "too many"}', "[]", "7", "null", "<html>", ""]
    for text in [*texts, json.dumps(lacking), json.dumps(foreign)]:
        with pytest.raises(tabiya.QueryError, match=f"not an answer to {question}") as caught:
            kind.from_json(text)
        assert text[:200] in str(caught.value)
    with pytest.raises(tabiya.QueryError, match="not an answer of tabiya"):
        tabiya.Answer.from_json("{}")
    with pytest.raises(tabiya.QueryError, match="schema 9, expected 3"):
        kind.from_json(json.dumps({**document, "schema": 9}))
    other = tabiya.StatsAnswer if question != "stats" else tabiya.SearchAnswer
    with pytest.raises(tabiya.QueryError, match="not an answer to"):
        other.from_json(json.dumps(document))


def test_wrong_types_are_reported(collection: tabiya.Collection) -> None:
    document = collection.search(FENS[0], top=1).to_dict()
    [hit] = document["hits"]
    wrong = [("rank", "1"), ("rank", True), ("score", None), ("next", "e4"), ("game", 7)]
    for name, value in [*wrong, ("families", []), ("rerank", 3)]:
        bent = {**document, "hits": [{**hit, name: value}]}
        with pytest.raises(tabiya.QueryError, match="not an answer to search"):
            tabiya.SearchAnswer.from_json(json.dumps(bent))


def test_tables(answers: dict[str, tabiya.Answer], collection: tabiya.Collection) -> None:
    pandas = pytest.importorskip("pandas")
    for question, answer in answers.items():
        if question != "record":
            table = answer.to_pandas()  # type: ignore[attr-defined]
            assert isinstance(table, pandas.DataFrame), question
            # The collection of games has no exercises.
            assert len(table) > 0 or question == "exercises", question
    search = collection.search(FENS[0], rerank="continuations")
    table = search.to_pandas()
    assert len(table) == len(search)
    columns = {"rank", "similarity", "game", "white", "families_attack", "rerank_similarity"}
    assert columns <= set(table.columns)
    assert list(table.game) == [it.game.id for it in search]
    assert list(table.next) == [" ".join(it.next) for it in search]
    assert table.iloc[0].to_dict()["rank"] == search[0].to_row()["rank"] == 1
    assert list(search.moves_to_pandas().san) == [it.san for it in search.moves]
    cases = collection.cases(board())
    assert list(cases.reactions_to_pandas().san) == [it.san for it in cases.reactions]
    explored = collection.explore(chess.Board())
    assert list(explored.to_pandas().games) == [it.games for it in explored.moves]
    assert "swapped" in tabiya.compare(FENS[2], FENS[4], depth=1).to_pandas().columns
    [twin] = collection.twins(board()).twins
    assert len(twin.to_pandas()) == len(twin.moves)


def test_empty_tables_have_the_columns_of_others(collection: tabiya.Collection) -> None:
    pytest.importorskip("pandas")
    found, nothing = (collection.search(FENS[0], top=it) for it in (3, 0))
    encoding = tabiya.encode(FENS[0])
    why = collection.explain(FENS[0], FENS[1])
    tables = [
        (found.to_pandas(), nothing.to_pandas()),
        (tabiya.to_pandas([found]), tabiya.to_pandas([nothing])),
        (tabiya.to_pandas([found]), tabiya.to_pandas([])),
        (found.moves_to_pandas(), nothing.moves_to_pandas()),
        (why.to_pandas(), collection.explain(FENS[0], FENS[1], reasons=0).to_pandas()),
        (collection.explore(FENS[3]).to_pandas(), collection.explore(FENS[2]).to_pandas()),
        (encoding.to_pandas(), dataclasses.replace(encoding, terms=()).to_pandas()),
    ]
    for full, empty in tables:
        assert len(full) > 0 == len(empty)
        assert list(full.columns) == list(empty.columns)
