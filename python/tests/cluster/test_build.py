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
        work, "run_everywhere", lambda job, names, progress: [work.shards_of(job, it) for it in names]
    )
    with pytest.raises(BuildError, match="nothing was published"):
        work.build(source, target, 24, progress=print, warn=print)
    assert tabiya.Depot(target).generations() == []


class Remote:
    """Tasks that run at once, and again if they may."""

    def __init__(self, ray, work):
        self.tries = 0
        self.work = work
        ray.remote, ray.wait, ray.get = self.options, self.wait, self.get
        self.error = ray.exceptions.RayTaskError

    def options(self, max_retries, retry_exceptions, **_):
        self.again = tuple(retry_exceptions)
        self.left = max_retries
        return lambda function: self

    def remote(self, *arguments):
        self.tries += 1
        try:
            self.work(*arguments)
        except self.again:
            if self.tries <= self.left:
                return self.remote(*arguments)
            raise
        except Exception as error:
            return error

    def wait(self, left, num_returns):
        return left[:1], left[1:]

    def get(self, done):
        raise self.error(done)


def test_a_broken_file_is_tried_once_and_a_lame_storage_again(ray):
    def broken(*_):
        raise tabiya.IncompleteError("ends too early")

    def lame(*_):
        if remote.tries < 3:
            raise tabiya.StorageError("not now")
        raise tabiya.IncompleteError("ends too early")

    for work_of, tries in ((broken, 1), (lame, 3)):
        remote = Remote(ray, work_of)
        with pytest.raises(BuildError, match="^a.pgn: ends too early$"):
            work.run_everywhere(work.Job("a", "b", 24), ["a.pgn"], progress=lambda *_: None)
        assert remote.tries == tries
