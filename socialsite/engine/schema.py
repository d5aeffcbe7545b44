"""Workaround 3: omit the partial filter of unique indexes on columns without null.

The backend adds the filter ``{column: {$type: ...}}``, so that several rows may have null. The server does
not use such an index for a query for one value. Every look-up by username, token or confirmation key would
read the whole collection. If a column cannot be null, the filter has no effect, so this module omits the
filter. If a nullable column is later altered to not null, its index keeps the filter until the index is
rebuilt.
"""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django_mongodb_backend.schema import (
    DatabaseSchemaEditor as MongoDatabaseSchemaEditor,
)
from pymongo import IndexModel


class LookupUniqueIndex(models.Index):
    """An index whose partial filter contains only nullable columns and the index's own condition."""

    def get_pymongo_index_model(
        self, model: type[models.Model], schema_editor: Any, **kwargs: Any
    ) -> IndexModel | None:
        index: IndexModel | None = super().get_pymongo_index_model(model, schema_editor, **kwargs)  # type: ignore[misc]
        if index is None:
            return None
        partial = index.document.pop("partialFilterExpression", {})
        prefix = kwargs.get("column_prefix", "")
        # While Django adds a field, the model does not yet contain this field.
        new_field = kwargs.get("field")
        fields: Iterable[Any] = (
            [new_field] if new_field else map(model._meta.get_field, self.fields)
        )
        non_null_columns = {prefix + field.column for field in fields if not field.null}
        for column in non_null_columns & partial.keys():
            partial[column].pop("$type", None)
        if partial := {column: conditions for column, conditions in partial.items() if conditions}:
            index.document["partialFilterExpression"] = partial
        return index


class DatabaseSchemaEditor(MongoDatabaseSchemaEditor):
    def add_index(self, model: type[models.Model], index: models.Index, **kwargs: Any) -> None:
        if kwargs.get("unique") and type(index) is models.Index:
            index = LookupUniqueIndex(
                fields=list(index.fields),
                name=index.name,
                condition=index.condition,
            )
        super().add_index(model, index, **kwargs)
