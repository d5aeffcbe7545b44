"""Copy a database to files and back. Each collection is a gzip file of BSON documents.

All documents are read from one snapshot: they are those of a single moment, also while the site writes.
"""

import gzip
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import bson
from bson.codec_options import CodecOptions
from bson.errors import InvalidBSON
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient
from pymongo.client_session import ClientSession
from pymongo.errors import OperationFailure, PyMongoError

from .errors import LocalError

Document = dict[str, Any]
Client = MongoClient[Document]
Progress = Callable[[str, int], None]
"""Called with the name of a collection and the number of documents that were just copied."""

RAW = CodecOptions(document_class=RawBSONDocument)
SNAPSHOT_SECONDS = 86_400
"""How long the server keeps the snapshot while the database is read."""

ATTEMPTS = 3
BATCH_BYTES = 8 * 2**20
SNAPSHOT_ERRORS = {239, 246}  # SnapshotTooOld, SnapshotUnavailable: a collection or index is new


def dump(client: Client, *, database: str, folder: Path, progress: Progress) -> Document:
    """Copy the database to an empty folder.

    Returns:
        By name of the collection: {documents, sha256, options, indexes}.

    Raises:
        LocalError: the snapshot was lost three times, or the database cannot be read.
    """
    admin = client.admin
    admin.command({"setParameter": 1, "minSnapshotHistoryWindowInSeconds": SNAPSHOT_SECONDS})
    try:
        for _ in range(ATTEMPTS):
            try:
                return _dump_snapshot(client, database, folder, progress)
            except OperationFailure as error:
                if error.code not in SNAPSHOT_ERRORS:
                    raise
        raise LocalError("Collections changed during the backup. Try again.")
    except PyMongoError as error:
        raise LocalError(f"The database cannot be read: {error}") from None
    finally:
        # The embedded server keeps no old versions (``mongod``). If this process is killed, the next start
        # of the server does this.
        admin.command({"setParameter": 1, "minSnapshotHistoryWindowInSeconds": 0})


def load(
    client: Client,
    *,
    database: str,
    folder: Path,
    collections: Mapping[str, Document],
    progress: Progress,
) -> None:
    """Create collections from files that ``check_files`` has accepted, and count their documents.

    Raises:
        LocalError: the database has collections already, or lacks documents afterwards.
    """
    # Otherwise the server deletes expired documents before they are counted.
    client.admin.command({"setParameter": 1, "ttlMonitorEnabled": False})
    target = client[database]
    if target.list_collection_names():
        raise LocalError(f"The database {database} is not empty.")
    for name, summary in collections.items():
        target.command({"create": name, **summary["options"]})
        for batch in _batches(_file(folder, name)):
            target[name].with_options(codec_options=RAW).insert_many(batch)
            progress(name, len(batch))
        if summary["indexes"]:
            target.command({"createIndexes": name, "indexes": summary["indexes"]})
        count = target[name].count_documents({})
        if count != summary["documents"]:
            raise LocalError(f"{name} has {count} documents instead of {summary['documents']}.")


def check_files(folder: Path, *, collections: Mapping[str, Document]) -> None:
    """Check that all files are as they were written. Raises LocalError."""
    for name, summary in collections.items():
        if not re.fullmatch(r"[\w-]+(\.[\w-]+)*", name):
            raise LocalError(f"The backup contains an unusual name of a collection: {name[:60]!r}")
        path = _file(folder, name)
        if path.is_symlink() or not path.is_file():
            raise LocalError(f"The backup lacks the file {path.name}.")
        if digest_of(path) != summary["sha256"]:
            raise LocalError(f"The file {path.name} of the backup is damaged.")


def _dump_snapshot(client: Client, database: str, folder: Path, progress: Progress) -> Document:
    source = client[database]
    collections: Document = {}
    with client.start_session(snapshot=True) as session:
        for details in sorted(source.list_collections(), key=lambda details: details["name"]):
            name = details["name"]
            if details["type"] != "collection" or name.startswith("system."):
                continue
            if details["options"].get("capped"):
                raise LocalError(f"{name} is a capped collection, which has no snapshots.")
            indexes = [
                dict(index)
                for index in source[name].list_indexes()
                if index["name"] != "_id_" and not index.get("clustered")
            ]
            count = _write(client, database, name, session, _file(folder, name), progress)
            collections[name] = {
                "documents": count,
                "sha256": digest_of(_file(folder, name)),
                "options": details["options"],
                "indexes": indexes,
            }
    return collections


def _write(
    client: Client,
    database: str,
    name: str,
    session: ClientSession,
    path: Path,
    progress: Progress,
) -> int:
    """Write all documents of a collection to a file. Returns their number."""
    count = 0
    raw = client[database].get_collection(name, codec_options=RAW)
    with gzip.open(path, "wb", compresslevel=3) as file:
        for batch in cast("Iterator[bytes]", raw.find_raw_batches({}, session=session)):
            file.write(batch)
            number = len(bson.decode_all(batch, RAW))
            count += number
            progress(name, number)
    return count


def _batches(path: Path) -> Iterator[list[Any]]:
    batch: list[Any] = []
    size = 0
    try:
        with gzip.open(path) as file:
            for document in bson.decode_file_iter(cast("IO[bytes]", file), RAW):
                batch.append(document)
                size += len(document.raw)
                if size >= BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
    except (InvalidBSON, EOFError, OSError) as error:
        raise LocalError(f"The file {path.name} of the backup is damaged: {error}") from None
    if batch:
        yield batch


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.bson.gz"


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
