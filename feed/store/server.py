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
