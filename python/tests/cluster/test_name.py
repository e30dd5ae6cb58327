"""The names of groups and replicas."""

import pytest
import tabiya
from tabiya.cluster.name import Choice, collection_name, group_name, group_of, is_group


def manifest(generation=1, statistics="statistics/a", shards=("shards/a", "shards/b")):
    entries = tuple(tabiya.ShardEntry(it, it, 1, 1, 1) for it in shards)
    return tabiya.Manifest(generation, 24, statistics, entries)


def name(address="s3://chess/a", **changed):
    return collection_name(address, manifest(**changed))


def test_what_is_served_has_a_name_of_its_own():
    others = [
        name("s3://chess/b"),
        name(generation=2),
        name(statistics="statistics/b"),
        name(shards=("shards/b", "shards/a")),
    ]
    assert len({name(), *others}) == 5
    assert name() == name("s3://chess/a/")


def test_groups_are_told_from_what_else_has_a_name():
    group = group_name(name(), 0, 5)
    assert group.endswith("/1-of-5")
    assert is_group(group) and group_of(f"{group}/2") == group
    assert not is_group("00000001/1-of-5") and not is_group(f"{group}/2")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), "a1 a2 b1"),
        (Choice("s3://chess/a/"), "a1 a2"),
        (Choice(generation=1), "a1 b1"),
        (Choice("s3://chess/a", 1), "a1"),
        (Choice("s3://chess/b", 2), ""),
    ],
)
def test_collections_are_chosen_by_depot_and_generation(choice, expected):
    there = {
        f"{depot}{number}": group_name(name(f"s3://chess/{depot}", generation=number), 0, 2) + "/1"
        for depot, number in (("a", 1), ("a", 2), ("b", 1))
    }
    assert [short for short, it in there.items() if it in choice] == expected.split()
