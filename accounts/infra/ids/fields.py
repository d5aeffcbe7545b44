"""The primary key of every model: a time-ordered id, stored in ``_id`` as a 64-bit integer."""

from typing import Any

from django.db import models

from .generator import new_id


class TimeOrderedIdField(models.AutoField):  # type: ignore[type-arg]
    """An ``AutoField`` whose value the application generates directly before the insert.

    Third-party packages require integer keys and ``AutoField``, but MongoDB cannot generate integer keys.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["db_column"] = "_id"
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _path, args, kwargs = super().deconstruct()
        kwargs.pop("db_column", None)
        return name, "accounts.infra.ids.TimeOrderedIdField", list(args), dict(kwargs)

    def get_internal_type(self) -> str:
        return "BigIntegerField"

    def rel_db_type(self, connection: Any) -> str:
        return "long"

    def has_default(self) -> bool:
        # Without a default, Django would send an UPDATE first to find out whether the object exists.
        return True

    def get_default(self) -> None:
        return None

    def get_pk_value_on_save(self, instance: models.Model) -> int:
        return new_id()
