"""The MongoDB collections of notifications. All use Django's database connection."""

from pymongo.collection import Collection

from accounts.infra.store.connection import Document, collection


def notification_boxes() -> Collection[Document]:
    return collection("notification_boxes")


def notification_history() -> Collection[Document]:
    return collection("notification_history")


def push_devices() -> Collection[Document]:
    return collection("push_devices")


def subscriber_deliveries() -> Collection[Document]:
    return collection("subscriber_deliveries")


def thread_followers() -> Collection[Document]:
    return collection("thread_followers")
