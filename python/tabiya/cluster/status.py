"""The nodes and replicas that Ray knows."""

from __future__ import annotations

import json
from typing import Any

from . import placement
from .node import NAMESPACE
from .router import Opening

# A replica that gives no sign for this long is silent, in seconds.
PATIENCE = 5.0


def status() -> dict[str, list[dict[str, Any]]]:
    """All nodes that ever joined, and all replicas with the node they are on."""
    import ray

    nodes = [
        {
            "address": it["NodeManagerAddress"],
            "alive": it["Alive"],
            "cpus": it["Resources"].get("CPU", 0.0),
        }
        for it in ray.nodes()
    ]
    signs = {it: ray.get_actor(it, NAMESPACE).holds.remote() for it in placement.raised()}
    if signs:
        ray.wait(list(signs.values()), num_returns=len(signs), timeout=PATIENCE)
    return {"nodes": nodes, "replicas": [_replica(name, sign) for name, sign in signs.items()]}


def _replica(name: str, sign: Any) -> dict[str, Any]:
    import ray
    from ray.exceptions import RayError

    try:
        return {"name": name, "answers": True, **json.loads(ray.get(sign, timeout=0))}
    except RayError as error:
        cause = getattr(error, "cause", None)
        why = f"is opening: {cause}" if isinstance(cause, Opening) else "is silent"
        return {"name": name, "answers": False, "node": "", "shards": 0, "depot": "", "why": why}
