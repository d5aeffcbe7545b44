"""Check the server of ``MONGODB_URI`` before the site uses it.

Messages never contain the URI, because a URI may contain a password.
"""

from typing import Any

from pymongo import MongoClient
from pymongo.errors import (
    ConfigurationError,
    InvalidURI,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)
from pymongo.uri_parser import parse_uri

from .errors import LocalError

HelloReply = dict[str, Any]

TIMEOUT_MS = 3000
MIN_WIRE_VERSION = 17  # MongoDB 6.0

INVALID_URI_MESSAGE = (
    "MONGODB_URI is not a usable address. Write it as "
    "mongodb://name:password@host:27017/?replicaSet=rs0, with special characters in the name and "
    "password encoded as %XX. The host after mongodb+srv:// must exist in the DNS."
)
REPLICA_SET_HINT = (
    "Socialsite needs a replica set (one node is enough), because a single server has no transactions. "
    "Start mongod with --replSet rs0, run rs.initiate() once in mongosh, and add replicaSet=rs0 "
    "to MONGODB_URI."
)


def check_server(uri: str) -> None:
    """Check within 5 seconds that the site can use this server. Raises LocalError if it cannot."""
    try:
        if not uri.startswith(("mongodb://", "mongodb+srv://")):
            raise InvalidURI("no scheme")
        problem = _problem_of(uri)
    except OperationFailure as error:
        reason = (error.details or {}).get("codeName", f"code {error.code}")
        raise LocalError(f"MongoDB refuses the log-in of MONGODB_URI ({reason}).") from None
    except (InvalidURI, ConfigurationError, ValueError, TypeError):
        raise LocalError(INVALID_URI_MESSAGE) from None
    except PyMongoError as error:
        raise LocalError(
            f"The MongoDB server of MONGODB_URI cannot be used ({type(error).__name__})."
        ) from None
    if problem:
        raise LocalError(problem)


def _problem_of(uri: str) -> str:
    try:
        return hello_problem(_hello(uri, TIMEOUT_MS))
    except ServerSelectionTimeoutError as error:
        return unreachable_reason(uri, error)


def hello_problem(hello: HelloReply) -> str:
    """Return the problem that a server's ``hello`` reply shows, or ""."""
    if hello.get("maxWireVersion", 0) < MIN_WIRE_VERSION:
        return "Socialsite needs MongoDB 6 or newer. The server of MONGODB_URI is older."
    if "setName" not in hello and hello.get("msg") != "isdbgrid":
        if hello.get("isreplicaset"):
            return "The replica set of MONGODB_URI is not initiated: run rs.initiate() in mongosh."
        return f"MONGODB_URI names a standalone server. {REPLICA_SET_HINT}"
    return ""


def unreachable_reason(uri: str, error: ServerSelectionTimeoutError) -> str:
    """Return why the server is unreachable, or how the server differs from the URI."""
    parsed_uri = parse_uri(uri)
    hosts = ", ".join(f"{host}:{port}" for host, port in parsed_uri["nodelist"])
    wanted = parsed_uri["options"].get("replicaSet")
    if len(parsed_uri["nodelist"]) > 1:
        return f"No writable member of the MongoDB at {hosts} can be reached. {_reason(error)}"
    try:
        hello = _hello(uri, 1000, directConnection=True, replicaSet=None)
    except PyMongoError:
        return f"No MongoDB can be reached at {hosts} (MONGODB_URI). {_reason(error)}"
    if problem := hello_problem(hello):
        return problem
    if wanted and hello["setName"] != wanted:
        return (
            f"The replica set at {hosts} is called {hello['setName']!r}, not {wanted!r}: "
            "correct replicaSet= in MONGODB_URI."
        )
    return (
        f"The MongoDB at {hosts} answers, but the primary of its replica set cannot be reached "
        f"from here. The addresses of its members are {', '.join(hello.get('hosts', ['?']))}."
    )


def _reason(error: ServerSelectionTimeoutError) -> str:
    return str(error).partition(" (configured timeouts")[0].partition(", Timeout: ")[0]


def _hello(uri: str, timeout_ms: int, **options: Any) -> HelloReply:
    with MongoClient[HelloReply](
        uri,
        serverSelectionTimeoutMS=timeout_ms,
        connectTimeoutMS=timeout_ms,
        socketTimeoutMS=timeout_ms,
        **options,
    ) as client:
        return client.admin.command("hello")
