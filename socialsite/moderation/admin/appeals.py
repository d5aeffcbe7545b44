"""The list of appeals, and the command that approves or rejects an appeal."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.text import Truncator
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.infra.cursors import parse_id
from socialsite.moderation.forms.moderators import AppealDecisionForm
from socialsite.moderation.models import Appeal
from socialsite.moderation.services import appeals
from socialsite.moderation.services.actions import CannotAct

from .access import moderator_path, signed_in_moderator
from .actions import RecordAdmin, redirect_to_origin


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
        appeal = _get_appeal_or_404(parse_id(object_id))
        return redirect("admin:moderation_action_change", appeal.action_id)


@require_POST
def decide_appeal(request: HttpRequest, appeal_id: int) -> HttpResponseBase:
    appeal = _get_appeal_or_404(appeal_id)
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


def _get_appeal_or_404(appeal_id: int | None) -> Appeal:
    appeal = None if appeal_id is None else Appeal.objects.filter(pk=appeal_id).first()
    if appeal is None:
        raise Http404("Appeal not found.")
    return appeal
