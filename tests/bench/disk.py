"""Disk usage of collections, and counters of the storage engine."""

from collections.abc import Sequence
from typing import Protocol

from .database import Document, connection


class HasCollections(Protocol):
    """A design with the names of all its collections."""

    @property
    def collections(self) -> Sequence[str]: ...


def force_checkpoint() -> None:
    """Write all data to the files, so that the sizes of the files are exact."""
    connection.database.client.admin.command("fsync")


def disk_usage(design: HasCollections) -> dict[str, int]:
    """Return ``data``, ``index``, ``files`` and ``raw`` in bytes.

    ``data`` and ``index`` exclude the free space in files, because it depends on the last checkpoints and
    not on the design. ``files`` includes the free space. ``raw`` is the size of the documents before
    compression.
    """
    results = {"data": 0, "index": 0, "files": 0, "raw": 0}
    for name in design.collections:
        stats = connection.database.command("collStats", name)
        results["raw"] += int(stats["size"])
        data, *indexes = _files(stats)
        results["data"] += data[0] - data[1]
        results["index"] += sum(size - free for size, free in indexes)
        results["files"] += sum(size for size, _ in (data, *indexes))
    return results


def cached_bytes(design: HasCollections) -> int:
    """Return the bytes of cache that the collections currently use."""
    total = 0
    for name in design.collections:
        stats = connection.database.command("collStats", name)
        total += sum(int(part["cache"]["bytes currently in the cache"]) for part in _engine(stats))
    return total


def _files(stats: Document) -> list[tuple[int, int]]:
    """Return ``(size, free space)`` of the data file and of each index file."""
    blocks = [part["block-manager"] for part in _engine(stats)]
    return [
        (int(block["file size in bytes"]), int(block["file bytes available for reuse"]))
        for block in blocks
    ]


def _engine(stats: Document) -> list[Document]:
    return [stats["wiredTiger"], *stats.get("indexDetails", {}).values()]


def count_pages_read() -> int:
    """Return the number of pages that the storage engine has read since it started."""
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["cache"]["pages read into cache"])


def set_cache_size(*, mib: int) -> None:
    """Change the cache size of the server, which must be separate. A shared server would become slow."""
    connection.database.client.admin.command(
        {"setParameter": 1, "wiredTigerEngineRuntimeConfig": f"cache_size={mib}M"}
    )


def cache_size_bytes() -> int:
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["cache"]["maximum bytes configured"])


def journal_bytes_written() -> int:
    """Return the bytes written to the journal since the server started."""
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["log"]["log bytes written"])
