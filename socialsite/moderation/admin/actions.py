"""The lists and commands of actions, appeals and the audit log."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.utils.text import Truncator
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.admin import UserNamesAdmin
from accounts.infra.admin_lists import READ_ONLY
from accounts.infra.cursors import parse_id
from accounts.selectors.profiles import uid_by_username
from socialsite.moderation.action_kinds import action_kind
from socialsite.moderation.forms import AppealDecisionForm
from socialsite.moderation.models import Action, Appeal, AuditEntry
from socialsite.moderation.selectors.audit_labels import event_label
from socialsite.moderation.selectors.case_page import action_row
from socialsite.moderation.services import appeals
from socialsite.moderation.services.actions import CannotAct, undo_action

from .access import moderator_path, page_context, signed_in_moderator


class RecordAdmin(UserNamesAdmin):
    """A read-only list with search by @name or case id."""

    forbidden = READ_ONLY
    actions = None
    actions_on_top = True
    search_help_text = _("Search by @username or case ID")

    @admin.display(description=pgettext_lazy("moderator", "by"))
    def actor_name(self, row: Any) -> str:
        return str(row.names[getattr(row, self.uid_fields[0])])

    @admin.display(description=_("user"))
    def user_name(self, row: Any) -> str:
        return str(row.names[row.user_id]) if row.user_id else ""

    def find_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        if (case_id := parse_id(term)) is not None:
            return queryset.filter(case=case_id)
        uid = uid_by_username(username=term)
        if uid is None:
            return queryset.none()
        return queryset.filter(Q(user_id=uid) | Q(**{self.uid_fields[0]: uid}))


@admin.register(Action)
class ActionAdmin(RecordAdmin):
    uid_fields = ("moderator", "user_id")
    list_display = ("kind_label", "user_name", "actor_name", "at", "state", "expires_at")
    search_fields = ("user_id",)

    @admin.display(description=_("action"))
    def kind_label(self, action: Action) -> str:
        return str(action_kind(action.kind).label)

    def get_urls(self) -> list[URLPattern]:
        return [
            moderator_path("<id:action_id>/undo/", undo_action_view, "moderation_undo_action"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        row = action_row(action=get_object_or_404(Action, pk=parse_id(object_id)))
        context = page_context(
            request,
            title=f"{row.label}: {row.user}",
            action_row=row,
            appeal_form=AppealDecisionForm(auto_id=False),
            opts=Action._meta,
        )
        return render(request, "admin/moderation/action.html", context)


@admin.register(AuditEntry)
class AuditEntryAdmin(RecordAdmin):
    uid_fields = ("actor", "user_id")
    list_display = ("at", "event", "user_name", "actor_name", "case", "details")
    search_fields = ("user_id",)

    @admin.display(description=pgettext_lazy("somebody who changed something", "by"))
    def actor_name(self, row: Any) -> str:
        return super().actor_name(row)

    @admin.display(description=_("event"))
    def event(self, entry: AuditEntry) -> str:
        return event_label(verb=entry.verb)


@require_POST
def undo_action_view(request: HttpRequest, action_id: int) -> HttpResponseBase:
    action = get_object_or_404(Action, pk=action_id)
    try:
        if undo_action(action=action, moderator=signed_in_moderator(request)):
            messages.success(request, gettext("Action undone."))
    except CannotAct as error:
        messages.error(request, str(error))
    return redirect_to_origin(request, action)


def redirect_to_origin(request: HttpRequest, action: Action) -> HttpResponseBase:
    """Redirect to the case whose page sent the request, or else to the action."""
    case_id = parse_id(request.POST.get("case", ""))
    if case_id is not None:
        return redirect("admin:moderation_case_change", case_id)
    return redirect("admin:moderation_action_change", action.pk)


class AppealStateFilter(admin.SimpleListFilter):
    """Shows open appeals by default."""

    title = _("status")
    parameter_name = "answered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("all", pgettext_lazy("appeals", "All"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        default_choice, *others = super().choices(changelist)
        yield {**default_choice, "display": _("Unanswered")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() == "all" else queryset.filter(state=Appeal.State.OPEN)


@admin.register(Appeal)
class AppealAdmin(RecordAdmin):
    """Lists appeals. Moderators read and decide an appeal on the page of its action."""

    uid_fields = ("user_id",)
    list_display = ("excerpt", "user_name", "at", "state")
    list_filter = (AppealStateFilter,)

    @admin.display(description=_("appeal"))
    def excerpt(self, appeal: Appeal) -> str:
        return Truncator(appeal.text).chars(100)

    def get_urls(self) -> list[URLPattern]:
        return [
            moderator_path("<id:appeal_id>/decide/", decide_appeal, "moderation_decide_appeal"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        appeal = get_object_or_404(Appeal, pk=parse_id(object_id))
        return redirect("admin:moderation_action_change", appeal.action_id)


@require_POST
def decide_appeal(request: HttpRequest, appeal_id: int) -> HttpResponseBase:
    appeal = get_object_or_404(Appeal, pk=appeal_id)
    decision = request.POST.get("decision")
    if decision not in ("approve", "reject"):
        raise BadRequest("Unknown decision.")
    form = AppealDecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("The reply is too long. Shorten it and try again."))
        return redirect_to_origin(request, appeal.action)
    try:
        is_decided = appeals.decide_appeal(
            appeal=appeal,
            moderator=signed_in_moderator(request),
            is_approved=decision == "approve",
            response=form.cleaned_data["response"],
        )
    except CannotAct as error:
        messages.error(request, str(error))
    else:
        if is_decided:
            messages.success(request, gettext("Appeal decided."))
        else:
            messages.error(
                request, gettext("This appeal was already decided. Nothing was changed.")
            )
    return redirect_to_origin(request, appeal.action)
