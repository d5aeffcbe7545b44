"""Memory and CPU use of the database server."""

from typing import Any, cast

from django.db import connection
from pymongo.errors import OperationFailure


def resident_bytes() -> int | None:
    """Return the memory of the database server in bytes, or None without permission to read it."""
    try:
        status = cast("Any", connection).database.command("serverStatus")
    except OperationFailure:
        return None
    return int(status["mem"]["resident"]) * 2**20


def cpu_us() -> int | None:
    """Return the CPU time of the server in microseconds since its start.

    Returns None without permission to read it, or if the server does not run on Linux.
    """
    # Leave out the large sections, because the server needs more CPU time for them than for a delivery.
    sections = dict.fromkeys(
        ("metrics", "wiredTiger", "locks", "repl", "tcmalloc", "transactions"), 0
    )
    try:
        status = cast("Any", connection).database.command("serverStatus", **sections)
    except OperationFailure:
        return None
    usage = status.get("extra_info", {})
    if "user_time_us" not in usage:
        return None
    return int(usage["user_time_us"]) + int(usage["system_time_us"])
