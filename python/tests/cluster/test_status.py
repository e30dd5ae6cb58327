"""The status of replicas that answer, open or are lost."""

import json

from tabiya.cluster import command, placement, status
from tabiya.cluster.router import Opening

HELD = {"node": "10.0.0.2", "shards": 2, "depot": "s3://chess/a", "collection": "c"}


def test_replicas_say_where_they_are_or_why_they_are_not_there(ray, monkeypatch):
    signs = {
        "c/1-of-1/1": json.dumps(HELD),
        "c/1-of-1/2": ray.exceptions.RayTaskError(Opening("there are no credentials")),
        "c/1-of-1/3": ray.exceptions.RayError("lost"),
    }

    def get(sign, timeout):
        if isinstance(sign, Exception):
            raise sign
        return sign

    monkeypatch.setattr(placement, "raised", lambda: list(signs))
    ray.nodes = lambda: []
    ray.get_actor = lambda name, namespace: Actor(signs[name])
    ray.wait = lambda signs, **_: None
    ray.get = get
    found = status.status()["replicas"]
    assert [command._where(it) for it in found] == [
        "on 10.0.0.2, 2 shards of s3://chess/a",
        "is opening: there are no credentials",
        "is silent",
    ]


class Actor:
    """One whose sign of life is known."""

    def __init__(self, sign):
        self.holds = self
        self.remote = lambda: sign
