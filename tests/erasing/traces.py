"""Search every collection, field and file for traces of a user."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection

WORDS_OF_OTHERS = {
    "feed_post.text",
    "feed_post.words",
    "feed_post.newest_comments.text",
    "comment_buckets.comments.text",
    "revisions.text",
}
"""Fields with texts of other users. Names in these texts remain after erasure."""


def find_traces(*, uid: int, names: tuple[str, ...]) -> dict[str, set[str]]:
    """Return the fields that contain the uid or one of the names, by collection."""
    marks = (str(uid), *names)
    traces: dict[str, set[str]] = {}
    database = connection.database
    for name in database.list_collection_names(filter={"type": "collection"}):
        if name.startswith("system."):
            continue
        for document in database[name].find():
            if name == Session._meta.db_table:
                document["data"] = Session(session_data=document["session_data"]).get_decoded()
            for path, value in _leaves(document, name):
                if _is_mark(value, uid, marks) and not _is_quoted(path, value, uid):
                    traces.setdefault(name, set()).add(path)
    return traces


def find_files(*, uid: int, names: tuple[str, ...]) -> list[str]:
    folder = Path(settings.DATA_DIR) / "media"
    marks = (str(uid), *names)
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(mark in path.name for mark in marks)
    ]


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.<key>", key
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, path)
    else:
        yield path, value


def _is_mark(value: Any, uid: int, marks: tuple[str, ...]) -> bool:
    if isinstance(value, int):
        return value == uid
    if isinstance(value, bytes):
        return any(mark.encode() in value for mark in marks)
    return any(mark in str(value) for mark in marks)


def _is_quoted(path: str, value: Any, uid: int) -> bool:
    return path in WORDS_OF_OTHERS and isinstance(value, str) and str(uid) not in value
