"""What ``make demo`` says when something is missing or taken: clearly, soon, without a traceback."""

import os
import socket
import subprocess
import sys
import time

import pytest
from pymongo import MongoClient

from socialsite.local import server_check
from socialsite.local.demo_server import parse_port
from socialsite.local.errors import LocalError
from socialsite.local.mongod_binary import find_binary
from socialsite.local.mongodb_uri import with_database
from socialsite.local.ports import free_port
from socialsite.local.processes import ROOT, start_child
from socialsite.local.server_check import check_server, hello_problem

SECRET = "s3cret-pass"


def demo(tmp_path, **variables):
    """Run the demo with these variables until it gives up; what it said."""
    env = {**os.environ, "DATA_DIR": str(tmp_path), "PORT": str(free_port()), **variables}
    ended = subprocess.run(
        [sys.executable, "-m", "socialsite.local.demo_server"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def standalone(tmp_path_factory):
    """The port of a real server that is no replica set."""
    folder, port = tmp_path_factory.mktemp("standalone"), free_port()
    command = [str(find_binary()), "--dbpath", str(folder), "--port", str(port)]
    command += ["--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"]
    server = start_child(name="standalone", command=command, log=folder / "log")
    with MongoClient("127.0.0.1", port) as client:
        client.admin.command("ping")
    yield port
    server.kill()


@pytest.fixture
def impatient(monkeypatch):
    """The server is there and what it says will not change by waiting."""
    monkeypatch.setattr(server_check, "TIMEOUT_MS", 200)


def test_a_taken_port_is_said_before_anything_is_started(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        said = demo(tmp_path, PORT=str(port))
    assert f"Port {port} is taken by another program" in said
    assert "make demo PORT=" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("port", ["web", "0", "65536", "-1"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(LocalError, match="is no port number"):
        parse_port(port)


def test_an_unreachable_server_is_said_without_its_password(impatient):
    uri = f"mongodb://alice:{SECRET}@127.0.0.1:{free_port()}/?replicaSet=rs0"
    with pytest.raises(LocalError, match=r"No MongoDB can be reached at 127\.0\.0\.1") as refused:
        check_server(uri)
    assert SECRET not in str(refused.value)
    assert "Connection refused" in str(refused.value)


@pytest.mark.slow
def test_an_unreachable_server_is_said_within_five_seconds_without_its_password(tmp_path):
    uri = f"mongodb://alice:{SECRET}@127.0.0.1:{free_port()}/?replicaSet=rs0"
    began = time.monotonic()
    with pytest.raises(LocalError, match=r"No MongoDB can be reached at 127\.0\.0\.1") as told:
        check_server(uri)
    assert time.monotonic() - began < 5
    assert SECRET not in str(told.value)
    assert "Connection refused" in str(told.value)


def test_a_standalone_server_is_refused_with_what_to_do(tmp_path, standalone):
    said = demo(tmp_path, MONGODB_URI=f"mongodb://127.0.0.1:{standalone}/")
    assert "stands alone" in said
    assert "--replSet rs0" in said
    assert "rs.initiate()" in said


def test_a_standalone_server_is_not_mistaken_for_an_absent_one(standalone, impatient):
    with pytest.raises(LocalError, match="stands alone"):
        check_server(f"mongodb://127.0.0.1:{standalone}/?replicaSet=rs0")


@pytest.mark.parametrize(
    "uri",
    ["127.0.0.1:27017", f"mongodb://alice:{SECRET}/@127.0.0.1", "mongodb://", "mongodb://a:b"],
)
def test_an_address_that_is_none_is_explained(uri):
    with pytest.raises(LocalError, match="not a usable address") as told:
        check_server(uri)
    assert SECRET not in str(told.value)


def test_a_replica_set_of_another_name_is_named(impatient):
    uri = os.environ["MONGODB_URI"].partition("?")[0]
    with pytest.raises(LocalError, match="is called 'socialsite', not 'rs7'"):
        check_server(f"{uri}?replicaSet=rs7")


def test_a_refused_log_in_is_said_without_the_password():
    uri = with_database(os.environ["MONGODB_URI"], "").replace("//", f"//nobody:{SECRET}@", 1)
    with pytest.raises(LocalError, match="refuses the log-in of MONGODB_URI") as told:
        check_server(uri)
    assert SECRET not in str(told.value)


def test_a_replica_set_is_accepted():
    check_server(os.environ["MONGODB_URI"])


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ({"maxWireVersion": 13, "setName": "rs0"}, "MongoDB 6 or newer"),
        ({"maxWireVersion": 17, "isreplicaset": True}, "run rs.initiate()"),
        ({"maxWireVersion": 17}, "stands alone"),
    ],
)
def test_an_unfit_server_is_told_what_it_lacks(hello, said):
    assert said in hello_problem(hello)


@pytest.mark.parametrize("hello", [{"setName": "rs0"}, {"msg": "isdbgrid"}])
def test_replica_sets_and_sharded_clusters_are_fit(hello):
    assert hello_problem({"maxWireVersion": 21, **hello}) == ""


@pytest.mark.slow
def test_a_broken_step_names_itself_and_its_log(tmp_path):
    said = demo(tmp_path, MONGODB_URI=os.environ["MONGODB_URI"], FEED_PAGE_SIZE="x")
    assert "Error: manage.py" in said
    assert "failed." in said
    assert f"Log: {tmp_path / 'logs'}" in said
