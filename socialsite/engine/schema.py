"""Cure 3: unique indexes carry a partial filter that look-ups cannot use.

The backend adds ``{column: {$type: ...}}`` so that several nulls may coexist. A query for one value
does not imply that filter in the planner's eyes, so every look-up by user name, token or e-mail
confirmation key reads the whole collection. Where a column cannot be null the filter says nothing;
here it is left out. A field that is later altered from null to not null keeps its filter until its
index is made again.
"""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django_mongodb_backend.schema import (
    DatabaseSchemaEditor as MongoDatabaseSchemaEditor,
)
from pymongo import IndexModel


class LookupUniqueIndex(models.Index):
    """An index whose partial filter names only columns that may be null (and its own condition)."""

    def get_pymongo_index_model(
        self, model: type[models.Model], schema_editor: Any, **kwargs: Any
    ) -> IndexModel | None:
        built: IndexModel | None = super().get_pymongo_index_model(model, schema_editor, **kwargs)  # type: ignore[misc]
        if built is None:
            return None
        partial = built.document.pop("partialFilterExpression", {})
        prefix = kwargs.get("column_prefix", "")
        # The model does not have a field yet that is just added.
        added = kwargs.get("field")
        fields: Iterable[Any] = [added] if added else map(model._meta.get_field, self.fields)
        required = {prefix + field.column for field in fields if not field.null}
        for column in required & partial.keys():
            partial[column].pop("$type", None)
        if partial := {column: tests for column, tests in partial.items() if tests}:
            built.document["partialFilterExpression"] = partial
        return built


class DatabaseSchemaEditor(MongoDatabaseSchemaEditor):
    def add_index(self, model: type[models.Model], index: models.Index, **kwargs: Any) -> None:
        if kwargs.get("unique") and type(index) is models.Index:
            index = LookupUniqueIndex(
                fields=list(index.fields),
                name=index.name,
                condition=index.condition,
            )
        super().add_index(model, index, **kwargs)
