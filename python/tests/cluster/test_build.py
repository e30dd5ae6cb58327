"""What is built from what; the building itself is proved with a real cluster."""

from tabiya.cluster.build import pgn_names


def test_pgn_files_are_taken_in_the_order_of_their_names():
    names = ["b.pgn", "a/z.pgn.zst", "notes.txt", "c.pgn.gz", "d.pgn.bz2", "pgn", "a.pgn.json"]
    assert pgn_names(names) == ["a/z.pgn.zst", "b.pgn", "c.pgn.gz", "d.pgn.bz2"]
