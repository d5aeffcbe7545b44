"""What collections take on disk, and what the storage engine does meanwhile."""

from collections.abc import Sequence
from typing import Protocol

from .database import Document, connection


class HasCollections(Protocol):
    """``collections``: the names of all that a design keeps."""

    @property
    def collections(self) -> Sequence[str]: ...


def force_checkpoint() -> None:
    """All that is written is in its files afterwards, so that their sizes can be told."""
    connection.database.client.admin.command("fsync")


def disk_usage(design: HasCollections) -> dict[str, int]:
    """Bytes on disk of ``data`` and ``index``, without the room in their files that is free again; of the
    whole ``files``; and of the ``raw`` documents before compression.

    How much is free depends on when the last checkpoints were, so it tells nothing of a design.
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
    """How much of the cache they take now."""
    total = 0
    for name in design.collections:
        stats = connection.database.command("collStats", name)
        total += sum(int(row["cache"]["bytes currently in the cache"]) for row in _engine(stats))
    return total


def _files(stats: Document) -> list[tuple[int, int]]:
    """(size, free in it) of the file of the data and of those of the indexes."""
    blocks = [row["block-manager"] for row in _engine(stats)]
    return [
        (int(block["file size in bytes"]), int(block["file bytes available for reuse"]))
        for block in blocks
    ]


def _engine(stats: Document) -> list[Document]:
    return [stats["wiredTiger"], *stats.get("indexDetails", {}).values()]


def count_pages_read() -> int:
    """How many pages the storage engine has ever read into its cache."""
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["cache"]["pages read into cache"])


def set_cache_size(*, mib: int) -> None:
    """Shrink or grow the server's cache. Only on a server that is for the bench alone."""
    connection.database.client.admin.command(
        {"setParameter": 1, "wiredTigerEngineRuntimeConfig": f"cache_size={mib}M"}
    )


def cache_size_bytes() -> int:
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["cache"]["maximum bytes configured"])


def journal_bytes_written() -> int:
    """How much has ever been written to the journal."""
    status = connection.database.command("serverStatus")
    return int(status["wiredTiger"]["log"]["log bytes written"])
