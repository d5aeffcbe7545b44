"""The URI of the embedded server, and functions that change parts of a URI.

The settings import this module, so this module uses only the standard library.
"""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

REPLICA_SET = "socialsite"
PORT_FILE = "mongod.port"


def embedded_port(data_dir: Path) -> int | None:
    """Return the port stored in ``data_dir``, or None if no embedded server has used this folder."""
    try:
        return int((data_dir / PORT_FILE).read_text())
    except (FileNotFoundError, ValueError):
        return None


def embedded_uri(data_dir: Path) -> str:
    """Return the URI of the embedded server for ``data_dir``, or "" if no server has used this folder."""
    port = embedded_port(data_dir)
    return port_uri(port) if port else ""


def port_uri(port: int) -> str:
    """Return the URI of an embedded server."""
    return f"mongodb://127.0.0.1:{port}/?replicaSet={REPLICA_SET}"


def with_database(uri: str, name: str) -> str:
    """Return the URI with another default database. The old database still authenticates the log-in."""
    parts = urlsplit(uri)
    query = parts.query
    old = parts.path.strip("/")
    if "@" in parts.netloc and "authSource=" not in query:
        query = "&".join(filter(None, [query, f"authSource={old or 'admin'}"]))
    return urlunsplit((parts.scheme, parts.netloc, "/" + name, query, ""))


def with_selection_timeout(uri: str, *, milliseconds: int) -> str:
    """Return the URI with a server selection timeout, unless it already has one."""
    parts = urlsplit(uri)
    if "serverselectiontimeoutms=" in parts.query.lower():
        return uri
    query = "&".join(filter(None, [parts.query, f"serverSelectionTimeoutMS={milliseconds}"]))
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", query, ""))
