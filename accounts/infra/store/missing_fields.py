"""Documents that lack fields, because a field is newer than they are. Readers get its default."""

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Field, Model

from .connection import Document


def add_missing_fields(
    *, document: Document, model: type[Model], stored_names: Iterable[str]
) -> None:
    """Add the fields of ``model`` that the document lacks, with their defaults."""
    if missing := set(stored_names) - document.keys():
        for field in model._meta.concrete_fields:
            if field.column in missing:
                document[field.column] = stored_default(field)


def stored_default(field: "Field[Any, Any]") -> Any:
    """Return the default of a field as it would be stored. It is None for a field without a default."""
    return field.get_db_prep_save(field.get_default(), connection)
