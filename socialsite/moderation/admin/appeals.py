"""What people say against actions: unanswered ones first."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.infra.paging import parse_id
from socialsite.moderation.forms.moderators import AppealDecisionForm
from socialsite.moderation.models import Appeal
from socialsite.moderation.services import appeals
from socialsite.moderation.services.actions import CannotAct

from .access import moderator_path, signed_in_moderator
from .actions import RecordAdmin, redirect_to_origin


class AppealStateFilter(admin.SimpleListFilter):
    """By default those that wait for an answer."""

    title = _("state")
    parameter_name = "answered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("all", _("All"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        waiting, *others = super().choices(changelist)
        yield {**waiting, "display": _("Unanswered")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() == "all" else queryset.filter(state=Appeal.State.OPEN)


@admin.register(Appeal)
class AppealAdmin(RecordAdmin):
    """An appeal is read and decided on the page of the action."""

    uid_fields = ("person",)
    list_display = ("excerpt", "actor_name", "at", "state")
    list_filter = (AppealStateFilter,)

    @admin.display(description=_("appeal"))
    def excerpt(self, appeal: Appeal) -> str:
        return Truncator(appeal.text).chars(100)

    def get_urls(self) -> list[URLPattern]:
        return [
            moderator_path("<id:appeal_id>/decide/", decide_appeal, "moderation_decide"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return redirect(
            "admin:moderation_action_change", _appeal_or_404(parse_id(object_id)).action_id
        )


@require_POST
def decide_appeal(request: HttpRequest, appeal_id: int) -> HttpResponseBase:
    appeal = _appeal_or_404(appeal_id)
    decision = request.POST.get("decision")
    if decision not in ("approve", "refuse"):
        raise BadRequest("No such decision.")
    form = AppealDecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("The answer is too long."))
        return redirect_to_origin(request, appeal.action)
    try:
        appeals.decide_appeal(
            appeal=appeal,
            moderator=signed_in_moderator(request),
            is_approved=decision == "approve",
            response=form.cleaned_data["answer"],
        )
    except CannotAct as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("The appeal is answered."))
    return redirect_to_origin(request, appeal.action)


def _appeal_or_404(number: int | None) -> Appeal:
    appeal = None if number is None else Appeal.objects.filter(pk=number).first()
    if appeal is None:
        raise Http404("No such appeal.")
    return appeal
