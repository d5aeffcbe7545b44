"""``make demo`` reports errors early, clearly, and without a traceback."""

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
from socialsite.local.mongod import find_binary
from socialsite.local.mongodb_uri import with_database
from socialsite.local.ports import free_port
from socialsite.local.processes import ROOT, start_child
from socialsite.local.server_check import check_server, hello_problem

SECRET = "s3cret-pass"


def demo(tmp_path, **variables):
    """Run the demo with these variables until it fails, and return its output."""
    env = {**os.environ, "DATA_DIR": str(tmp_path), "PORT": str(free_port()), **variables}
    result = subprocess.run(
        [sys.executable, "-m", "socialsite.local.demo_server"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert result.returncode == 1
    assert "Traceback" not in result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def standalone(tmp_path_factory):
    """The port of a real server that is not a replica set."""
    folder, port = tmp_path_factory.mktemp("standalone"), free_port()
    command = [str(find_binary()), "--dbpath", str(folder), "--port", str(port)]
    command += ["--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"]
    server = start_child(name="standalone", command=command, log=folder / "log")
    with MongoClient("127.0.0.1", port) as client:
        client.admin.command("ping")
    yield port
    server.kill()


@pytest.fixture
def short_timeout(monkeypatch):
    """Shorten the timeout of checks, because waiting longer would not change their results."""
    monkeypatch.setattr(server_check, "TIMEOUT_MS", 200)


def test_a_taken_port_is_reported_before_anything_starts(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        output = demo(tmp_path, PORT=str(port))
    assert f"Port {port} is taken by another program" in output
    assert "make demo PORT=" in output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("port", ["web", "0", "65536", "-1"])
def test_an_invalid_port_is_refused(port):
    with pytest.raises(LocalError, match="is no port number"):
        parse_port(port)


def test_an_unreachable_server_is_reported_without_the_password(short_timeout):
    uri = f"mongodb://alice:{SECRET}@127.0.0.1:{free_port()}/?replicaSet=rs0"
    with pytest.raises(LocalError, match=r"No MongoDB can be reached at 127\.0\.0\.1") as error:
        check_server(uri)
    assert SECRET not in str(error.value)
    assert "Connection refused" in str(error.value)


@pytest.mark.slow
def test_an_unreachable_server_is_reported_within_five_seconds(tmp_path):
    uri = f"mongodb://alice:{SECRET}@127.0.0.1:{free_port()}/?replicaSet=rs0"
    started_at = time.monotonic()
    with pytest.raises(LocalError, match=r"No MongoDB can be reached at 127\.0\.0\.1") as error:
        check_server(uri)
    assert time.monotonic() - started_at < 5
    assert SECRET not in str(error.value)
    assert "Connection refused" in str(error.value)


def test_a_standalone_server_is_refused_with_instructions(tmp_path, standalone):
    output = demo(tmp_path, MONGODB_URI=f"mongodb://127.0.0.1:{standalone}/")
    assert "standalone server" in output
    assert "--replSet rs0" in output
    assert "rs.initiate()" in output


def test_a_standalone_server_is_not_reported_as_unreachable(standalone, short_timeout):
    with pytest.raises(LocalError, match="standalone server"):
        check_server(f"mongodb://127.0.0.1:{standalone}/?replicaSet=rs0")


@pytest.mark.parametrize(
    "uri",
    ["127.0.0.1:27017", f"mongodb://alice:{SECRET}/@127.0.0.1", "mongodb://", "mongodb://a:b"],
)
def test_an_invalid_uri_is_reported(uri):
    with pytest.raises(LocalError, match="not a usable address") as error:
        check_server(uri)
    assert SECRET not in str(error.value)


def test_the_name_of_another_replica_set_is_reported(short_timeout):
    uri = os.environ["MONGODB_URI"].partition("?")[0]
    with pytest.raises(LocalError, match="is called 'socialsite', not 'rs7'"):
        check_server(f"{uri}?replicaSet=rs7")


def test_a_failed_login_is_reported_without_the_password():
    uri = with_database(os.environ["MONGODB_URI"], "").replace("//", f"//nobody:{SECRET}@", 1)
    with pytest.raises(LocalError, match="refuses the log-in of MONGODB_URI") as error:
        check_server(uri)
    assert SECRET not in str(error.value)


def test_a_replica_set_is_accepted():
    check_server(os.environ["MONGODB_URI"])


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ({"maxWireVersion": 13, "setName": "rs0"}, "MongoDB 6 or newer"),
        ({"maxWireVersion": 17, "isreplicaset": True}, "run rs.initiate()"),
        ({"maxWireVersion": 17}, "standalone server"),
    ],
)
def test_the_problem_of_an_unsuitable_server_is_reported(hello, message):
    assert message in hello_problem(hello)


@pytest.mark.parametrize("hello", [{"setName": "rs0"}, {"msg": "isdbgrid"}])
def test_replica_sets_and_sharded_clusters_are_accepted(hello):
    assert hello_problem({"maxWireVersion": 21, **hello}) == ""


@pytest.mark.slow
def test_a_failed_step_is_reported_with_its_log(tmp_path):
    output = demo(tmp_path, MONGODB_URI=os.environ["MONGODB_URI"], FEED_PAGE_SIZE="x")
    assert "Error: manage.py" in output
    assert "failed." in output
    assert f"Log: {tmp_path / 'logs'}" in output
