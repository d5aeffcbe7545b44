"""What all lists in the admin have in common: newest first by an index, and never a count."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest

FURTHEST_PAGE = 100


class UncountedPaginator(Paginator[Any]):
    """Pages without counting: looks one row further to see whether there is another page.

    Bounded: behind ``FURTHEST_PAGE`` pages one searches instead, for skipping reads what it skips.
    """

    @cached_property
    def count(self) -> int:
        most = self.per_page * FURTHEST_PAGE
        return len(self.object_list.values_list("pk")[:most])  # type: ignore[union-attr]


class NewestFirstAdmin(admin.ModelAdmin[Any]):
    """Ids are in order of time, so the newest come first from the index of ``_id``."""

    ordering: Sequence[str] = ("-pk",)
    paginator = UncountedPaginator
    show_full_result_count = False
    list_select_related = False
    list_per_page = 50

    def get_sortable_by(self, request: HttpRequest) -> Sequence[str]:
        return ()
