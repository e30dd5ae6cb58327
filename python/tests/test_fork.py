"""A forked process has none of its parent's threads."""

import multiprocessing
import warnings
from pathlib import Path

import tabiya

START = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


def similarities(path: str) -> list[float]:
    return [it.similarity for it in tabiya.Collection(path).search(START, rerank="freedom")]


def test_a_forked_process_searches_too(folder: Path) -> None:
    here = similarities(str(folder))
    # Later Pythons warn of forks beside threads, as there are here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            there = pool.apply_async(similarities, (str(folder),)).get(timeout=60)
    assert there == here and here
