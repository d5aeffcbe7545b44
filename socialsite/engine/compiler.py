"""Cure 2: ``order_by`` cannot use an index, because ``$addFields: {x: "$x"}`` stands before ``$sort``.

The server's planner lets a sort use an index only while nothing before it may have changed the
field, and it does not look into ``$addFields`` far enough to see that it changes nothing.
"""

from typing import Any

from django_mongodb_backend import compiler as mongo


class SQLCompiler(mongo.SQLCompiler):
    def build_query(self, columns: Any = None) -> Any:
        query = super().build_query(columns)
        if query.extra_fields:
            query.extra_fields = {
                name: value for name, value in query.extra_fields.items() if value != f"${name}"
            }
        return query


class SQLInsertCompiler(mongo.SQLInsertCompiler):
    pass


class SQLDeleteCompiler(mongo.SQLDeleteCompiler):
    pass


class SQLUpdateCompiler(mongo.SQLUpdateCompiler):
    pass


class SQLAggregateCompiler(mongo.SQLAggregateCompiler):
    pass
