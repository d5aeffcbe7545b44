"""The database connection of the engine. It retries commits and survives ``fork``."""

import os
import re
from typing import Any

from django.core import checks
from django.db import connections
from django_mongodb_backend.base import DatabaseWrapper as MongoDatabaseWrapper
from django_mongodb_backend.operations import DatabaseOperations as MongoDatabaseOperations
from django_mongodb_backend.validation import DatabaseValidation as MongoDatabaseValidation
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import PyMongoError

from socialsite.local.server_check import hello_problem

from .command_counter import count_selection
from .schema import DatabaseSchemaEditor

COMMIT_ATTEMPTS = 5


class DatabaseOperations(MongoDatabaseOperations):
    compiler_module = "socialsite.engine.compiler"

    def prep_for_iexact_query(self, value: str) -> str:
        """Workaround 1: escape the value, which the backend uses as a regular expression."""
        return re.escape(value)


class DatabaseValidation(MongoDatabaseValidation):
    def check(self, **_: Any) -> list[checks.CheckMessage]:
        """Refuse unsupported servers before a migration, such as standalone servers."""
        self.connection.ensure_connection()
        problem = hello_problem(self.connection.connection.admin.command("hello"))
        return [checks.Error(problem, id="socialsite.E001")] if problem else []


class DatabaseWrapper(MongoDatabaseWrapper):
    """A connection to MongoDB. All connections of a process share one client and its pool."""

    SchemaEditorClass = DatabaseSchemaEditor
    ops_class = DatabaseOperations
    validation_class = DatabaseValidation

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._collections: dict[str, Collection[dict[str, Any]]] = {}

    def collection(self, name: str) -> Collection[dict[str, Any]]:
        """Return the collection with this name: the same object until the next connection.

        A page asks for about 17 collections. To create an object each time costs 1 % of its CPU.
        """
        collection = self._collections.get(name)
        if collection is None or collection.database is not self.database:
            collection = self._collections[name] = self.database[name]
        return collection

    def get_connection_params(self) -> dict[str, Any]:
        """Return the options of the client, which counts its commands."""
        return {**super().get_connection_params(), "server_selector": count_selection}

    def commit_mongo(self) -> None:
        """Commit, and retry while the outcome is unknown.

        To repeat the whole transaction instead could write everything twice, because the first commit may
        have succeeded.
        """
        for attempts_left in reversed(range(COMMIT_ATTEMPTS)):
            try:
                super().commit_mongo()
                return
            except PyMongoError as error:
                if not (attempts_left and error.has_error_label("UnknownTransactionCommitResult")):
                    self._discard_transaction()
                    raise

    def validate_no_atomic_block(self) -> None:
        """Allow commits inside Django's ``atomic``, which begins no transaction on this database.

        The admin saves and deletes inside it. Without this, services with a transaction of their own would
        fail there after their commit.
        """

    def _discard_transaction(self) -> None:
        # The driver refuses to abort after a failed commit, so only end the session.
        if self.session is not None:
            self._end_session()
        self.run_on_commit: list[Any] = []


_inherited_clients: list[MongoClient[dict[str, Any]]] = []


def _reset_clients_after_fork() -> None:
    """Make a forked child open new connections, because sockets and monitor threads belong to the parent.

    The child keeps a reference to the parent's client. Otherwise Python would close the client, and the
    server would end the parent's sessions.
    """
    _inherited_clients.extend(MongoDatabaseWrapper._connection_pools.values())
    MongoDatabaseWrapper._connection_pools.clear()
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.connection = None
            connection.session = None
            connection.in_atomic_block_mongo = False
            connection.nested_atomics = 0
            connection.run_on_commit = []
            connection.__dict__.pop("database", None)


os.register_at_fork(after_in_child=_reset_clients_after_fork)
