"""``DATABASES["default"]["ENGINE"]``: puts the cured parts together and survives ``fork``."""

import os
from typing import Any

from django.db import connections
from django_mongodb_backend.base import DatabaseWrapper as MongoDatabaseWrapper
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from .operations import DatabaseOperations
from .schema import DatabaseSchemaEditor
from .validation import DatabaseValidation

COMMIT_ATTEMPTS = 5


class DatabaseWrapper(MongoDatabaseWrapper):
    """A connection to MongoDB; all connections of a process share one client and its pool."""

    SchemaEditorClass = DatabaseSchemaEditor
    ops_class = DatabaseOperations
    validation_class = DatabaseValidation

    def commit_mongo(self) -> None:
        """Commit, and ask again while the server cannot tell whether it did.

        To run the whole transaction again instead could write everything twice.
        """
        for attempts_left in reversed(range(COMMIT_ATTEMPTS)):
            try:
                super().commit_mongo()
                return
            except PyMongoError as error:
                if not (attempts_left and error.has_error_label("UnknownTransactionCommitResult")):
                    self._forget_transaction()
                    raise

    def _forget_transaction(self) -> None:
        # Not rolled back: after a failed commit the driver refuses to abort, and the server has.
        if self.session is not None:
            self._end_session()
        self.run_on_commit: list[Any] = []


_inherited: list[MongoClient[dict[str, Any]]] = []


def _forget_clients_after_fork() -> None:
    """Make a forked child connect anew: the sockets and monitor threads belong to the parent.

    The parent's client is kept referenced, because letting it go would close it, and with it
    tell the server to end the parent's sessions.
    """
    _inherited.extend(MongoDatabaseWrapper._connection_pools.values())
    MongoDatabaseWrapper._connection_pools.clear()
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.connection = None
            connection.session = None
            connection.in_atomic_block_mongo = False
            connection.nested_atomics = 0
            connection.run_on_commit = []
            connection.__dict__.pop("database", None)


os.register_at_fork(after_in_child=_forget_clients_after_fork)
