"""Two changes of how the backend reads.

- Workaround 2: drop ``$addFields: {x: "$x"}`` before ``$sort``, so that ``order_by`` uses an index. The
  server uses an index for a sort only if no earlier stage may change the field. The server does not notice
  that this ``$addFields`` changes nothing.
- A field that a document lacks has its default. The backend reads None.
"""

from typing import Any

from django_mongodb_backend import compiler as mongo
from django_mongodb_backend.compiler import (
    SQLAggregateCompiler,
    SQLDeleteCompiler,
    SQLInsertCompiler,
    SQLUpdateCompiler,
)

from accounts.infra.store.missing_fields import stored_default

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

    def _make_result(self, entity: Any, columns: Any) -> list[Any]:
        result: list[Any] = super()._make_result(entity, columns)
        for index, value in enumerate(result):
            if value is None:
                name, column = columns[index]
                document = entity
                if (alias := getattr(column, "alias", None)) not in (None, self.collection_name):
                    document = entity.get(alias, {})
                if name not in document and (field := getattr(column, "target", None)):
                    result[index] = stored_default(field)
        return result
