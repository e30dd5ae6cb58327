"""What is built from what; the building itself is proved with a real cluster."""

import pytest
import tabiya
from tabiya.cluster import build as work
from tabiya.cluster.build import BuildError, pgn_names


def test_pgn_files_are_taken_in_the_order_of_their_names():
    names = ["b.pgn", "a/z.pgn.zst", "notes.txt", "c.pgn.gz", "d.pgn.bz2", "pgn", "a.pgn.json"]
    assert pgn_names(names) == ["a/z.pgn.zst", "b.pgn", "c.pgn.gz", "d.pgn.bz2"]


def test_files_without_games_make_no_generation(monkeypatch, tmp_path):
    source, target = (f"file://{tmp_path}/{it}" for it in ("pgn", "shards"))
    tabiya.Depot(source).put("empty.pgn", b"\n")
    monkeypatch.setattr(work, "wait_for_nodes", lambda *_: None)
    monkeypatch.setattr(
        work, "run_everywhere", lambda job, names, tell: [work.shards_of(job, it) for it in names]
    )
    with pytest.raises(BuildError, match="nothing was published"):
        work.build(source, target, 24, tell=print, warn=print)
    assert tabiya.Depot(target).generations() == []
