"""The raw collections of notifications, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.collection import Collection

Document = dict[str, Any]


def notification_boxes() -> Collection[Document]:
    return _collection("notification_boxes")


def notification_history() -> Collection[Document]:
    return _collection("notification_history")


def push_devices() -> Collection[Document]:
    return _collection("push_endpoints")


def thread_followers() -> Collection[Document]:
    return _collection("thread_followers")


def _collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).database[name])
