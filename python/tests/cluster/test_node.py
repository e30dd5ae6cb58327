"""What a node is started with."""

import os
import socket
import stat
from pathlib import Path

import pytest
from tabiya.cluster.node import (
    SHELF,
    NoCluster,
    Node,
    NodeError,
    NoToken,
    check,
    connect,
    ensure_token,
    is_reachable,
    with_port,
)


def test_a_head_stays_on_loopback_and_holds_nothing_unless_told():
    arguments = Node().arguments()
    assert "--head" in arguments
    assert "--node-ip-address=127.0.0.2" in arguments
    assert "--num-cpus=0" in arguments
    assert "--include-dashboard=false" in arguments


def test_a_member_finds_the_head():
    arguments = Node(join="10.0.0.1", address="10.0.0.2").arguments()
    assert "--address=10.0.0.1:6379" in arguments
    assert "--node-ip-address=10.0.0.2" in arguments
    assert "--head" not in arguments


def test_a_member_elsewhere_lets_ray_find_its_address():
    assert not any("node-ip" in it for it in Node(join="10.0.0.1:7000").arguments())
    assert "--node-ip-address=127.0.0.3" in Node(join="127.0.0.2").arguments()


def test_further_arguments_go_to_ray():
    assert Node(more=["--min-worker-port=1"]).arguments()[-1] == "--min-worker-port=1"


@pytest.mark.parametrize("node", [Node(), Node(join="10.0.0.1"), Node(address="10.0.0.1")])
def test_no_node_starts_without_the_token_mode(node):
    assert node.environment({"RAY_AUTH_MODE": "disabled"})["RAY_AUTH_MODE"] == "token"


def test_what_the_user_has_set_stays():
    environment = Node(redis="127.0.0.1:1", shelf=Path("here")).environment(
        {"RAY_health_check_period_ms": "7", "AWS_ACCESS_KEY_ID": "key"}
    )
    assert environment["RAY_health_check_period_ms"] == "7"
    assert environment["AWS_ACCESS_KEY_ID"] == "key"
    assert environment["RAY_REDIS_ADDRESS"] == "127.0.0.1:1"
    assert environment[SHELF] == "here"


def test_credentials_are_no_arguments():
    node = Node(join="10.0.0.1", redis="127.0.0.1:1")
    node.environment({"AWS_SECRET_ACCESS_KEY": "geheim"})
    assert not any("geheim" in it for it in node.arguments())


def test_a_new_head_makes_a_token_that_only_its_owner_reads(tmp_path):
    ensure_token({}, tmp_path, is_head=True)
    token = tmp_path / ".ray" / "auth_token"
    assert len(token.read_text()) == 64
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    first = token.read_text()
    ensure_token({}, tmp_path, is_head=True)
    assert token.read_text() == first


def test_a_member_without_the_token_is_told_where_to_get_it(tmp_path):
    with pytest.raises(NoToken, match="auth_token"):
        ensure_token({}, tmp_path, is_head=False)
    ensure_token({"RAY_AUTH_TOKEN": "x"}, tmp_path, is_head=False)
    ensure_token({"RAY_AUTH_TOKEN_PATH": "x"}, tmp_path, is_head=True)
    assert not (tmp_path / ".ray").exists()


def test_a_port_is_added_where_none_is_said():
    assert with_port("head", 1) == "head:1"
    assert with_port("head:2", 1) == "head:2"


@pytest.fixture
def home(monkeypatch, tmp_path):
    """A machine without a token, whose environment is forgotten."""
    monkeypatch.setattr(os, "environ", {"HOME": str(tmp_path)})
    return tmp_path


def test_without_a_node_there_is_no_cluster(home):
    with pytest.raises(NoCluster, match="^no node on this machine; start one with:.* up --head"):
        connect(None)


def test_without_a_token_a_cluster_is_not_asked(home):
    with pytest.raises(NoToken):
        connect("10.0.0.1")


@pytest.mark.parametrize("head", [None, "127.0.0.1:{}"])
def test_what_ray_says_of_a_lost_cluster_is_said_in_our_words(home, ray, head):
    def init(**_):
        raise ConnectionError("please start Ray with --address")

    ray.init = init
    ensure_token({}, home, is_head=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(NoCluster, match="on this machine; start one with"):
            connect(head and head.format(server.getsockname()[1]))


def test_a_node_that_ray_would_not_start_is_refused_in_our_words():
    with pytest.raises(NodeError, match="say another --port"):
        check(Node(port=10_500))
    check(Node(port=10_500, more=["--min-worker-port=30000"]))
    check(Node())
    with socket.create_server(("127.0.0.1", 0)) as server:
        head = "127.0.0.1:{}".format(server.getsockname()[1])
        check(Node(join=head))
    with pytest.raises(NodeError, match=f"no head answers at {head}"):
        check(Node(join=head))


def test_a_head_that_is_not_there_is_found_out_at_once(home):
    ensure_token({}, home, is_head=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "127.0.0.1:{}".format(server.getsockname()[1])
        assert is_reachable(address)
    assert not is_reachable(address) and not is_reachable("127.0.0.1:none")
    with pytest.raises(NoCluster, match=f"no cluster answers at {address}"):
        connect(address)
