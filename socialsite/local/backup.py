"""``make backup`` and ``make restore``: copies of the embedded database, with pictures and the secret key.

    .data/backups/2026-11-26T024500Z/
        manifest.json       what the backup contains; written last, so a backup without it is unfinished
        database/           one file for each collection (``dump``)
        media/              pictures, video and audio
        secret              the demo's secret key, on which log-ins depend

Media are copied after the database, so all files of the posts in the backup exist, unless a post was
deleted meanwhile. Other sites use MongoDB's own tools (``docs/backups.md``).
"""

import argparse
import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bson import json_util
from pymongo import MongoClient
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.prompt import Confirm

from . import dump
from .demo_processes import data_dir as demo_data_dir
from .demo_processes import read_env_file
from .errors import LocalError
from .mongod import (
    exclusive_start,
    is_open,
    mark_complete,
    put_in_place,
    restoring_folder,
    start_embedded,
    temporary_server,
)

FORMAT = 1
STOP_SECONDS = 60.0
MANIFEST = "manifest.json"
LOCAL_ONLY_MESSAGE = (
    "MONGODB_URI is set. These commands are for the embedded database. "
    "docs/backups.md says how to back up other servers."
)

console = Console(highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="make")
    commands = parser.add_subparsers(dest="command", required=True)
    backup = commands.add_parser("backup", help="copy all data to a new folder")
    backup.add_argument("folder", nargs="?", type=Path, help="default: .data/backups/TIME")
    restore = commands.add_parser("restore", help="replace all data by those of a backup")
    restore.add_argument("folder", type=Path)
    restore.add_argument("--dry-run", action="store_true", help="only check the backup")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_args(arguments)
    try:
        read_env_file()
        if os.environ.get("MONGODB_URI"):
            raise LocalError(LOCAL_ONLY_MESSAGE)
        data_dir = demo_data_dir()
        if options.command == "backup":
            _say(f"Backup: {create_backup(data_dir, options.folder)}")
        elif options.dry_run:
            _say(
                f"The backup is complete. It has {check_backup(options.folder)['documents']} documents."
            )
        else:
            question = f"Replace all data in {data_dir} by this backup?"
            if options.yes or Confirm.ask(question, console=console, default=False):
                _say(f"Restored. The old data are in {restore_backup(data_dir, options.folder)}")
    except (LocalError, OSError) as error:
        console.print("[bold red]Error:[/]", end=" ")
        _say(str(error))
        return 1
    return 0


def create_backup(data_dir: Path, folder: Path | None = None) -> Path:
    """Copy all data to a new folder, and verify the copy by restoring it to a temporary server.

    The site may run. Returns the folder. Raises LocalError or OSError.
    """
    folder = folder or data_dir / "backups" / f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}"
    if folder.exists():
        raise LocalError(f"{folder} exists already.")
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    (unfinished / "database").mkdir(parents=True, mode=0o700)
    unfinished.chmod(0o700)
    with _server(data_dir) as uri, _client(uri) as client, _progress("Reading") as progress:
        collections = dump.dump(
            client, database=_database(), folder=unfinished / "database", progress=progress
        )
    files = _copy_media(data_dir / "media", unfinished / "media")
    if (data_dir / "secret").exists():
        shutil.copy2(data_dir / "secret", unfinished / "secret")
    manifest = {
        "format": FORMAT,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "documents": sum(summary["documents"] for summary in collections.values()),
        "media": files,
        "collections": collections,
    }
    (unfinished / MANIFEST).write_text(json_util.dumps(manifest, indent=1))
    with temporary_server() as uri:
        _load(uri, unfinished, check_backup(unfinished), label="Verifying")
    unfinished.rename(folder)
    return folder


def check_backup(folder: Path) -> dict[str, Any]:
    """Return the manifest of a backup whose files are complete and unchanged. Raises LocalError."""
    try:
        manifest: dict[str, Any] = json_util.loads((folder / MANIFEST).read_text())
        version, collections = manifest["format"], manifest["collections"]
    except FileNotFoundError:
        raise LocalError(f"{folder} is no complete backup.") from None
    except (ValueError, TypeError, KeyError):
        raise LocalError(f"{folder / MANIFEST} is damaged.") from None
    if version != FORMAT:
        raise LocalError(f"The backup has the format {version}, which this version does not know.")
    dump.check_files(folder / "database", collections=collections)
    if _measure(folder / "media") != manifest["media"]:
        raise LocalError("Media of the backup are missing or damaged.")
    return manifest


def restore_backup(data_dir: Path, folder: Path) -> Path:
    """Replace the data by those of a backup. Returns the folder with the old data.

    Raises:
        LocalError: the demo runs, or the backup is incomplete or damaged. Then nothing has changed.
    """
    manifest = check_backup(folder)
    with exclusive_start(data_dir):
        put_in_place(data_dir)
        if is_open(data_dir / "mongod"):
            raise LocalError("The demo is running. Stop it first.")
        restoring = restoring_folder(data_dir)
        if is_open(restoring / "mongod"):
            raise LocalError("Another restore is running.")
        shutil.rmtree(restoring, ignore_errors=True)
        restoring.mkdir(mode=0o700)
        with _server(restoring) as uri:
            _load(uri, folder, manifest, label="Restoring")
        _copy_media(folder / "media", restoring / "media")
        if (folder / "secret").exists():
            shutil.copy2(folder / "secret", restoring / "secret")
        old_data = f"before-restore-{datetime.now(UTC):%Y-%m-%dT%H%M%S.%fZ}"
        mark_complete(data_dir, old_data=old_data)
        put_in_place(data_dir)
    return data_dir / old_data


@contextmanager
def _server(data_dir: Path) -> Iterator[str]:
    """Yield the URI of the server for this data. Stop it afterwards, unless the demo has started it."""
    server = start_embedded(data_dir=data_dir)
    try:
        yield server.uri
    finally:
        if server.child:
            server.child.stop(timeout_seconds=STOP_SECONDS)


def _load(uri: str, folder: Path, manifest: dict[str, Any], *, label: str) -> None:
    with _client(uri) as client, _progress(label, total=manifest["documents"]) as progress:
        dump.load(
            client,
            database=_database(),
            folder=folder / "database",
            collections=manifest["collections"],
            progress=progress,
        )


def _copy_media(source: Path, target: Path) -> dict[str, int | str]:
    """Copy all files, except those that are deleted meanwhile. Returns {files, bytes, sha256}."""
    target.mkdir(mode=0o700)
    for path in sorted(source.rglob("*")):
        copy = target / path.relative_to(source)
        try:
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
        except FileNotFoundError:
            continue
    return _measure(target)


def _measure(folder: Path) -> dict[str, int | str]:
    """Return {files, bytes, sha256} of all files with their names. Raises LocalError if there are links."""
    paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    if any(path.is_symlink() for path in paths):
        raise LocalError(f"{folder} contains links to other files.")
    digest, size = hashlib.sha256(), 0
    for path in paths:
        content = dump.digest_of(path)
        digest.update(f"{path.relative_to(folder)} {content}\n".encode())
        size += path.stat().st_size
    return {"files": len(paths), "bytes": size, "sha256": digest.hexdigest()}


def _client(uri: str) -> MongoClient[dict[str, Any]]:
    return MongoClient(uri, serverSelectionTimeoutMS=5000)


def _database() -> str:
    return os.environ.get("MONGODB_NAME") or "socialsite"


@contextmanager
def _progress(label: str, total: int | None = None) -> Iterator[dump.Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(label, total=total)

        def advance(name: str, number: int) -> None:
            bar.update(task, advance=number, description=f"{label} {name}")

        yield advance


def _say(text: str) -> None:
    console.print(text, markup=False)


if __name__ == "__main__":
    sys.exit(main())
