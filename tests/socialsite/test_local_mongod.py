"""The embedded server: one for each data folder, with a fixed port."""

import os
import socket
import tempfile
from pathlib import Path

import pytest
from pymongo import MongoClient

from socialsite.local import mongod
from socialsite.local.errors import LocalError
from socialsite.local.mongod import find_binary, machine_problem, make_executable
from socialsite.local.mongodb_uri import PORT_FILE, embedded_uri
from socialsite.local.ports import free_port

MACHINE = {"system": "linux", "machine": "x86_64", "cpuinfo": "flags: sse avx", "has_libcurl": True}


@pytest.fixture
def start(tmp_path, monkeypatch):
    """A function that starts servers with data in ``tmp_path``. The servers stop after the test."""
    monkeypatch.setattr(mongod, "DEFAULT_PORT", free_port())
    servers = []

    def start_server():
        server = mongod.start_embedded(data_dir=tmp_path)
        servers.append(server)
        return server

    yield start_server
    for server in servers:
        if server.child:
            server.child.kill()


@pytest.fixture
def taken_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_supported_machine_has_no_problem():
    assert machine_problem(**MACHINE) == ""


@pytest.mark.parametrize(
    ("differences", "message"),
    [
        ({"machine": "aarch64"}, "linux on aarch64"),
        ({"system": "darwin", "machine": "arm64"}, "darwin on arm64"),
        ({"cpuinfo": "flags: sse sse2"}, "needs a processor with AVX"),
    ],
)
def test_an_unsupported_machine_is_reported_with_an_alternative(differences, message):
    problem = machine_problem(**{**MACHINE, **differences})
    assert message in problem
    assert "MongoDB 7 or 8" in problem
    assert "MONGODB_URI" in problem


def test_a_missing_libcurl_is_reported_with_its_package():
    problem = machine_problem(**{**MACHINE, "has_libcurl": False})
    assert problem.endswith("sudo apt-get install libcurl4")


def test_the_program_becomes_executable(tmp_path):
    program = tmp_path / "mongod"
    program.touch(mode=0o644)
    make_executable(program)
    assert os.access(program, os.X_OK)


@pytest.mark.slow
def test_data_keeps_its_port_after_the_server_was_killed(start, tmp_path):
    first = start()
    first.child.kill()
    second = start()
    assert second.child
    assert second.uri == first.uri == embedded_uri(tmp_path)


@pytest.mark.slow
def test_data_keeps_its_port_after_a_restart(start, tmp_path):
    first = start()
    with MongoClient(first.uri) as client:
        client.shop.orders.insert_one({"_id": 1})
    first.child.stop(timeout_seconds=20)
    second = start()
    assert second.uri == first.uri == embedded_uri(tmp_path)
    with MongoClient(second.uri) as client:
        assert client.shop.orders.count_documents({}) == 1


def test_a_second_start_joins_the_running_server(start):
    first, second = start(), start()
    assert first.child
    assert second.child is None
    assert second.uri == first.uri


def test_the_first_start_takes_another_port_if_the_default_port_is_taken(
    start, taken_port, monkeypatch
):
    monkeypatch.setattr(mongod, "DEFAULT_PORT", taken_port)
    with MongoClient(start().uri) as client:
        assert client.admin.command("ping")["ok"] == 1


def test_a_later_start_reports_that_its_port_is_taken(start, taken_port, tmp_path):
    (tmp_path / PORT_FILE).write_text(str(taken_port))
    with pytest.raises(LocalError, match=f"Port {taken_port} belongs to the MongoDB data in"):
        start()


def test_the_data_is_not_readable_by_other_users_of_the_machine(start, tmp_path):
    folder = tmp_path / "mongod"
    folder.mkdir(mode=0o755)
    start()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_data_without_a_port_file_is_refused(start, tmp_path):
    start().child.stop(timeout_seconds=20)
    (tmp_path / PORT_FILE).unlink()
    with pytest.raises(LocalError, match="can only be served on its own port"):
        start()


def test_a_failed_start_shows_the_end_of_the_log(start, tmp_path):
    (tmp_path / "mongod").mkdir()
    (tmp_path / "mongod" / "WiredTiger").write_text("not a database")
    (tmp_path / "mongod" / "storage.bson").write_text("nor this")
    (tmp_path / PORT_FILE).write_text(str(free_port()))
    with pytest.raises(LocalError) as error:
        start()
    assert str(error.value).startswith("MongoDB did not start:\n  ")
    assert f"Log: {tmp_path / 'logs' / 'mongod.log'}" in str(error.value)


def test_a_temporary_server_deletes_its_data():
    with mongod.temporary_server() as uri, MongoClient(uri) as client:
        options = client.admin.command("getCmdLineOpts")["parsed"]
        assert options["net"]["bindIp"] == "127.0.0.1"
        assert options["net"]["compression"]["compressors"] == "snappy,zstd"
        folder = Path(options["storage"]["dbPath"])
        assert folder.exists()
    assert not folder.parent.exists()


def test_data_of_a_killed_test_run_is_deleted_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    leftover = tmp_path / "socialsite-mongod-killed" / "mongod" / "mongod.lock"
    leftover.parent.mkdir(parents=True)
    leftover.write_text("1234\n")
    os.utime(leftover, (0, 0))
    with mongod.temporary_server():
        assert not leftover.parents[1].exists()


def test_the_program_is_found():
    assert find_binary().name == "mongod"
