"""What all lists in the admin have in common: newest first by an index, and never a count."""

from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

MAX_PAGE = 100


class UncountedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages without counting: looks one row further to see whether there is another page.

    Bounded: behind ``FURTHEST_PAGE`` pages one searches instead, for skipping reads what it skips.
    Django asks for joins where it lists the history of an object; here they are left out.
    """

    def __init__(self, object_list: QuerySet[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(object_list.select_related(None), *args, **kwargs)

    @cached_property
    def count(self) -> int:
        # Without their order: projected rows are sorted without an index, and all of them would be read.
        rows: Any = self.object_list
        return len(rows.order_by().values_list("pk")[: self.per_page * MAX_PAGE])


class NewestFirstAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Ids are in order of time, so the newest come first from the index of ``_id``."""

    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    paginator = UncountedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would count the whole list
    list_select_related = False
    list_per_page = 50

    def get_sortable_by(self, request: HttpRequest) -> tuple[()]:
        return ()


class ReadOnlyAdminMixin:
    """Also administrators change nothing here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
