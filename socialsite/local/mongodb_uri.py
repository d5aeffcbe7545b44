"""Where the database is: the embedded server's address, and addresses made from another one.

Read by the settings, so it imports nothing but the standard library.
"""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

REPLICA_SET = "socialsite"
PORT_FILE = "mongod.port"


def embedded_port(data_dir: Path) -> int | None:
    """The port that is kept with the data in ``data_dir``; None if no server ever ran there."""
    try:
        return int((data_dir / PORT_FILE).read_text())
    except (FileNotFoundError, ValueError):
        return None


def embedded_uri(data_dir: Path) -> str:
    """The address of the embedded server whose data is in ``data_dir``; "" if it never ran."""
    port = embedded_port(data_dir)
    return port_uri(port) if port else ""


def port_uri(port: int) -> str:
    """The address of an embedded server."""
    return f"mongodb://127.0.0.1:{port}/?replicaSet={REPLICA_SET}"


def with_database(uri: str, name: str) -> str:
    """The same server with another default database; the one for log-in stays the old one."""
    parts = urlsplit(uri)
    query = parts.query
    old = parts.path.strip("/")
    if "@" in parts.netloc and "authSource=" not in query:
        query = "&".join(filter(None, [query, f"authSource={old or 'admin'}"]))
    return urlunsplit((parts.scheme, parts.netloc, "/" + name, query, ""))


def with_selection_timeout(uri: str, *, milliseconds: int) -> str:
    """The same server, waited for so long, unless the address says how long itself."""
    parts = urlsplit(uri)
    if "serverselectiontimeoutms=" in parts.query.lower():
        return uri
    query = "&".join(filter(None, [parts.query, f"serverSelectionTimeoutMS={milliseconds}"]))
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", query, ""))
