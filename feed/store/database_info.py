"""What the database server tells of itself."""

from typing import Any, cast

from django.db import connection
from pymongo.errors import OperationFailure


def resident_bytes() -> int | None:
    """The memory that mongod holds; None where the site's log-in may not ask."""
    try:
        status = cast("Any", connection).database.command("serverStatus")
    except OperationFailure:
        return None
    return int(status["mem"]["resident"]) * 2**20


def server_version() -> str:
    return str(cast("Any", connection).database.client.server_info()["version"])


def database_bytes() -> int:
    """Return the bytes on disk of all documents and indexes of the site."""
    return int(cast("Any", connection).database.command("dbStats")["totalSize"])
