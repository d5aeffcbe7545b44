"""Workaround 2: drop ``$addFields: {x: "$x"}`` before ``$sort``, so that ``order_by`` uses an index.

The server uses an index for a sort only if no earlier stage may change the field. The server does not
notice that this ``$addFields`` changes nothing.
"""

from typing import Any

from django_mongodb_backend import compiler as mongo
from django_mongodb_backend.compiler import (
    SQLAggregateCompiler,
    SQLDeleteCompiler,
    SQLInsertCompiler,
    SQLUpdateCompiler,
)

__all__ = [
    "SQLAggregateCompiler",
    "SQLCompiler",
    "SQLDeleteCompiler",
    "SQLInsertCompiler",
    "SQLUpdateCompiler",
]


class SQLCompiler(mongo.SQLCompiler):
    def build_query(self, columns: Any = None) -> Any:
        query = super().build_query(columns)
        if query.extra_fields:
            query.extra_fields = {
                name: value for name, value in query.extra_fields.items() if value != f"${name}"
            }
        return query
