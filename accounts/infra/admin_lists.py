"""Base classes for admin lists: newest first by an index, without counting."""

from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

MAX_PAGE = 100


class UncountedPaginator(Paginator):  # type: ignore[type-arg]
    """Paginator that reads the keys of at most ``MAX_PAGE`` pages instead of counting all rows.

    The limit exists because the database reads skipped rows. Administrators search for older rows.
    Drops the joins that Django requests for the history of an object.
    """

    def __init__(self, object_list: QuerySet[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(object_list.select_related(None), *args, **kwargs)

    @cached_property
    def count(self) -> int:
        # Drop the order: MongoDB sorts projected rows without an index and would read all of them.
        rows: Any = self.object_list
        return len(rows.order_by().values_list("pk")[: self.per_page * MAX_PAGE])


class NewestFirstAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Admin list sorted by the index of ``_id``, which follows time."""

    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    paginator = UncountedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each facet counts the whole list
    list_select_related = False
    list_per_page = 50

    def get_sortable_by(self, request: HttpRequest) -> tuple[()]:
        return ()


class ReadOnlyAdminMixin:
    """Forbid administrators to add, change or delete rows."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
