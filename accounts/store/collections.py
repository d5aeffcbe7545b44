"""The MongoDB collections of users and relationships. All use Django's database connection."""

from pymongo.collection import Collection

from accounts.infra.store.connection import Document, collection


def users() -> Collection[Document]:
    return collection("accounts_user")


def access_tokens() -> Collection[Document]:
    return collection("accounts_accesstoken")


def follow_edges() -> Collection[Document]:
    return collection("follow_edges")


def audience_buckets() -> Collection[Document]:
    return collection("audience_buckets")


def follow_requests() -> Collection[Document]:
    return collection("follow_requests")


def blocks_and_mutes() -> Collection[Document]:
    return collection("blocks_and_mutes")


def user_notes() -> Collection[Document]:
    return collection("user_notes")


def pair_locks() -> Collection[Document]:
    return collection("pair_locks")
