"""The list of cases, and the URLs of all moderation pages in the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.infra.admin_lists import NewestFirstAdmin, ReadOnlyAdminMixin
from accounts.infra.cursors import parse_id
from socialsite.moderation.models import Case
from socialsite.moderation.selectors.user_names import UserNames, names_by_uid

from . import bulk_actions, case_views, comments
from .access import can_moderate, moderator_path, signed_in_moderator


class CaseStateFilter(admin.SimpleListFilter):
    """Shows open cases by default."""

    title = _("status")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("closed", pgettext_lazy("cases", "Closed")),
            ("all", pgettext_lazy("cases", "All")),
        ]

    def choices(self, changelist: Any) -> Iterator[Any]:
        default_choice, *others = super().choices(changelist)
        yield {**default_choice, "display": pgettext_lazy("cases", "Open")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "all":
            return queryset
        return queryset.filter(closed_at__isnull=self.value() != "closed")


class AssigneeFilter(admin.SimpleListFilter):
    title = _("assignee")
    parameter_name = "assignee"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("me", _("Assigned to me")), ("nobody", _("Unassigned"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "me":
            return queryset.filter(assignee=signed_in_moderator(request).pk)
        return queryset.filter(assignee=None) if self.value() == "nobody" else queryset


class UserNamesMixin:
    """Adds ``names`` to all rows of a list with one command.

    ``uid_fields`` contains the names of the fields with uids.
    """

    uid_fields: tuple[str, ...]
    _names: UserNames

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        changelist = super().get_changelist_instance(request)  # type: ignore[misc]
        rows = changelist.result_list
        names = names_by_uid(
            uids=[getattr(row, field) for row in rows for field in self.uid_fields]
        )
        for row in rows:
            row.names = names
        return changelist


@admin.register(Case)
class CaseAdmin(UserNamesMixin, ReadOnlyAdminMixin, NewestFirstAdmin):
    uid_fields = ("user_id", "assignee")
    list_display = (
        "subject_label",
        "category",
        "source",
        "reports",
        "age",
        "assignee_name",
        "outcome",
    )
    list_filter = (CaseStateFilter, AssigneeFilter, "subject_kind", "category", "source")
    actions = None
    # Lists without actions would otherwise get an inline style from Django, which the CSP forbids.
    actions_on_top = True

    @admin.display(description=_("user"))
    def subject_label(self, case: Any) -> str:
        return f"{case.get_subject_kind_display()}: {case.names[case.user_id]}"

    @admin.display(description=_("age"))
    def age(self, case: Case) -> str:
        return timesince(case.opened_at, case.closed_at or timezone.now(), depth=1)

    @admin.display(description=_("assignee"), empty_value="")
    def assignee_name(self, case: Any) -> str | None:
        return str(case.names[case.assignee]) if case.assignee else None

    def get_urls(self) -> list[URLPattern]:
        return [
            moderator_path("new/", case_views.open_case, "moderation_open_case"),
            moderator_path("bulk/", bulk_actions.bulk_action, "moderation_bulk_action"),
            moderator_path("comments/", comments.comment_list, "moderation_comments"),
            moderator_path("<id:case_id>/do/", case_views.run_command, "moderation_case_command"),
            moderator_path(
                "<id:case_id>/picture/<str:name>/",
                case_views.case_picture,
                "moderation_case_picture",
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        case = get_object_or_404(Case, pk=parse_id(object_id))
        return case_views.show_case(request, case=case)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return can_moderate(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return can_moderate(request)
