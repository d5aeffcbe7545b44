"""Memory and disk use of the database server."""

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


def server_version() -> str:
    return str(cast("Any", connection).database.client.server_info()["version"])


def database_bytes() -> int:
    """Return the bytes on disk that all documents and indexes of the site use."""
    return int(cast("Any", connection).database.command("dbStats")["totalSize"])
