"""Base classes for admin lists that sort by an index, newest first, and do not count rows."""

from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

MAX_PAGE = 100


class UncountedPaginator(Paginator):  # type: ignore[type-arg]
    """Paginator that reads the keys of at most ``MAX_PAGE`` pages instead of counting all rows.

    The database reads every skipped row, so later pages would be slow. Administrators find older rows by a
    search. The paginator also drops joins, which Django requests for the history page of an object.
    """

    def __init__(self, object_list: QuerySet[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(object_list.select_related(None), *args, **kwargs)

    @cached_property
    def count(self) -> int:
        # Drop the order. MongoDB would sort these rows without the index and read all of them.
        rows: Any = self.object_list
        return len(rows.order_by().values_list("pk")[: self.per_page * MAX_PAGE])


class NewestFirstAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Admin list in descending order of ``_id``, whose index sorts rows by creation time.

    ``forbidden``: operations that nobody may do, whatever the permissions: "add", "change" or "delete".
    """

    forbidden: ClassVar[tuple[str, ...]] = ()
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    paginator = UncountedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # Django would count the whole list for each facet
    list_select_related = False
    list_per_page = 50

    def get_sortable_by(self, request: HttpRequest) -> tuple[()]:
        return ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" not in self.forbidden and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" not in self.forbidden and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" not in self.forbidden and super().has_delete_permission(request, obj)


READ_ONLY = ("add", "change", "delete")


class SearchableAdmin(NewestFirstAdmin):
    """A list with a search of its own: ``find_rows`` gets a term that is not empty."""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.replace("\0", "").strip()
        return self.find_rows(queryset, term) if term else queryset, False

    def find_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        raise NotImplementedError
