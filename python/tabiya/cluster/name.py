"""The names of groups and replicas in the cluster.

Ray finds an actor by its name alone, whatever it was started with. So a name says whose
it is, `DEPOT/GENERATION/CONTENT/1-of-3/2`: the second replica of the first of three
groups. Depot and content are digests, of the address and of what the manifest lists;
two depots that share a cluster never answer for each other, nor does a depot for what
lay at its address before.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

import tabiya

# Letters of a digest: enough to keep all depots of a cluster apart.
LETTERS = 12

GROUP = re.compile(r"[0-9a-f]{12}/\d{8,}/[0-9a-f]{12}/\d+-of-\d+")


def digest(*texts: str) -> str:
    """A short digest of texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:LETTERS]


def depot_name(address: str) -> str:
    """The prefix of the names of all groups of a depot."""
    return digest(address.rstrip("/"))


def collection_name(address: str, manifest: tabiya.Manifest) -> str:
    """The prefix of the names of all groups of a generation."""
    content = digest(manifest.statistics, *(it.name for it in manifest.shards))
    return f"{depot_name(address)}/{manifest.generation:08}/{content}"


def group_name(collection: str, place: int, groups: int) -> str:
    """The name of a group. It is different for every generation and every division."""
    return f"{collection}/{place + 1}-of-{groups}"


def is_group(name: str) -> bool:
    """Whether a placement group is one of Tabiya's."""
    return GROUP.fullmatch(name) is not None


def group_of(replica: str) -> str:
    """The group of a replica."""
    return replica.rpartition("/")[0]


def groups_beside(replica: str) -> int:
    """The number of groups in a replica's generation."""
    return int(group_of(replica).rpartition("-of-")[2])


@dataclass(frozen=True)
class Choice:
    """Some of all collections: those of a depot, of a generation, or of both."""

    address: str | None = None
    generation: int | None = None

    def __contains__(self, name: str) -> bool:
        """Whether a group or a replica is of a chosen collection."""
        depot, _, rest = name.partition("/")
        generation = rest.partition("/")[0]
        if self.address is not None and depot != depot_name(self.address):
            return False
        return self.generation is None or generation == f"{self.generation:08}"
