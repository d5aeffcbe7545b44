"""The list of cases, the page of a case with its commands, and the URLs of all moderation pages."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from accounts.admin import UserNamesAdmin
from accounts.infra.admin_lists import READ_ONLY
from accounts.infra.cursors import parse_id
from accounts.infra.pictures import hidden_picture_response
from accounts.selectors.user_names import names_by_uid
from feed import picture_files
from feed.clip_files import clip_response
from socialsite.moderation import decisions
from socialsite.moderation.action_kinds import action_kind, action_kinds_for
from socialsite.moderation.forms import ActionForm, AppealDecisionForm, NoteForm
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.selectors.case_page import case_page
from socialsite.moderation.selectors.reported_content import ReportedSubject, reported_subject
from socialsite.moderation.services import reports
from socialsite.moderation.services.actions import CannotAct, take_action
from socialsite.moderation.services.cases import (
    CannotReopen,
    add_note,
    assign_case,
    close_case,
    reopen_case,
)
from socialsite.moderation.subjects import Subject, subject_from_record, user_subject

from . import bulk_actions, comments
from .access import (
    can_moderate,
    moderator_path,
    page_context,
    requested_subject,
    signed_in_moderator,
)

CASE_URL_NAME = "admin:moderation_case_change"


def show_case(request: HttpRequest, *, case: Case) -> HttpResponse:
    if not can_moderate(request):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
    return _render_case(request, case)


def _render_case(
    request: HttpRequest, case: Case, *, status: int = 200, **forms: Any
) -> HttpResponse:
    page = case_page(case=case, moderator=signed_in_moderator(request))
    rule_counts = Counter(report.record.rule for report in page.reports if report.record.rule)
    rule_id = rule_counts.most_common(1)[0][0] if rule_counts else ""
    act_form = ActionForm(rules=decisions.rules(), initial={"rule": rule_id})
    page_forms = {"act_form": act_form, "note_form": NoteForm(), **forms}
    titles = {
        SubjectKind.USER: gettext("Case: user %(person)s"),
        SubjectKind.POST: gettext("Case: post by %(person)s"),
        SubjectKind.COMMENT: gettext("Case: comment by %(person)s"),
    }
    title = titles[SubjectKind(case.subject_kind)] % {"person": page.user}
    context = page_context(
        request,
        title=title,
        page=page,
        case=case,
        appeal_form=AppealDecisionForm(auto_id=False),
        opts=Case._meta,
        **page_forms,
    )
    return render(request, "admin/moderation/case.html", context, status=status)


def open_case(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the open case about the subject. If there is none, show a button that opens a case."""
    subject = requested_subject(request)
    moderator = signed_in_moderator(request)
    reported = reported_subject(subject=subject, moderator=moderator, evidence=None)
    if reported.current.is_restricted:
        raise Http404("Moderators may not read this content.")
    if request.method == "POST":
        source = Case.Source.MODERATOR
        case = reports.open_case(subject=subject, source=source, moderator=moderator)
        return redirect(CASE_URL_NAME, case.pk)
    existing_case = Case.objects.filter(open_key=subject.key).first()
    if existing_case is not None:
        return redirect(CASE_URL_NAME, existing_case.pk)
    names = names_by_uid(uids=reported.author_ids | {subject.user_id})
    context = page_context(
        request,
        title=gettext("Open a case"),
        subject=subject,
        content=reported.current,
        person=names[subject.user_id],
        opts=Case._meta,
    )
    return render(request, "admin/moderation/open_case.html", context)


@require_POST
def run_command(request: HttpRequest, case_id: int) -> HttpResponseBase:
    """Run the command of a button: the command in ``do``, or the moderation action in ``act``."""
    case = get_object_or_404(Case, pk=case_id)
    if "act" in request.POST:
        return _take_action(request, case, request.POST["act"])
    command = COMMANDS.get(request.POST.get("do", ""))
    if command is None:
        raise BadRequest("Unknown command.")
    return command(request, case) or redirect(CASE_URL_NAME, case.pk)


def _take_action(request: HttpRequest, case: Case, button: str) -> HttpResponseBase:
    form = ActionForm(request.POST, rules=decisions.rules())
    name, _plus, next_command = button.partition("+")
    subject = _action_subject(case, name)
    kind = name.rpartition(":")[2]
    if subject is None or kind not in {
        available.name for available in action_kinds_for(subject_kind=subject.kind)
    }:
        raise BadRequest("Unknown action.")
    if not form.is_valid():
        return _render_case(request, case, status=400, act_form=form)
    moderator = signed_in_moderator(request)
    try:
        action = take_action(
            moderator=moderator, kind=kind, subject=subject, case=case, **form.action_options
        )
    except CannotAct as error:
        messages.error(request, str(error))
        return redirect(CASE_URL_NAME, case.pk)
    messages.success(
        request, gettext("Done: %(action)s") % {"action": action_kind(action.kind).label}
    )
    if next_command == "close":
        _close_case(request, case, Case.Outcome.ACTED)
    return redirect(CASE_URL_NAME, case.pk)


def _action_subject(case: Case, button: str) -> Subject | None:
    target, _colon, _kind = button.rpartition(":")
    if target == "person":
        return user_subject(uid=case.user_id)
    return None if target else subject_from_record(record=case)


def _add_note(request: HttpRequest, case: Case) -> HttpResponse | None:
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _render_case(request, case, status=400, note_form=form)
    text = form.cleaned_data["text"]
    add_note(case=case, moderator=signed_in_moderator(request), text=text)
    return None


def _assign_case(request: HttpRequest, case: Case) -> None:
    moderator = signed_in_moderator(request)
    assign_case(case=case, moderator=moderator, assignee=moderator.pk)


def _unassign_case(request: HttpRequest, case: Case) -> None:
    assign_case(case=case, moderator=signed_in_moderator(request), assignee=None)


def _close_case(request: HttpRequest, case: Case, outcome: str) -> None:
    if close_case(case=case, moderator=signed_in_moderator(request), outcome=outcome):
        messages.success(request, gettext("Case closed. The reporters are notified."))


def _reopen_case(request: HttpRequest, case: Case) -> HttpResponseRedirect | None:
    try:
        reopen_case(case=case, moderator=signed_in_moderator(request))
    except CannotReopen:
        messages.warning(
            request,
            gettext(
                "This case cannot be reopened, because there is a newer open case about the same subject. "
                "This is the newer case."
            ),
        )
        newer_case = Case.objects.filter(open_key=subject_from_record(record=case).key).first()
        return redirect(CASE_URL_NAME, newer_case.pk) if newer_case else None
    return None


COMMANDS: dict[str, Callable[[HttpRequest, Case], HttpResponseBase | None]] = {
    "note": _add_note,
    "take": _assign_case,
    "give": _unassign_case,
    "close": lambda request, case: _close_case(request, case, Case.Outcome.NO_ACTION),
    "close_acted": lambda request, case: _close_case(request, case, Case.Outcome.ACTED),
    "reopen": _reopen_case,
}


@require_safe
@cache_control(private=True, no_store=True)
def case_picture(request: HttpRequest, case_id: int, name: str) -> HttpResponseBase:
    """Serve a picture or clip of the reported content, even a hidden one.

    ``?large=1`` selects the large size, and ``?play=1`` the file to play.
    """
    case = get_object_or_404(Case, pk=case_id)
    reported: ReportedSubject = reported_subject(
        subject=subject_from_record(record=case),
        moderator=signed_in_moderator(request),
        evidence=case.evidence,
    )
    if path := reported.profile_picture_path(name):
        return hidden_picture_response(path=path)
    if name not in reported.picture_kinds:
        raise Http404("Picture not found.")
    if "play" in request.GET:
        kind = reported.picture_kinds[name]
        return clip_response(request=request, name=name, kind=kind, with_hidden=True)
    size = "large" if "large" in request.GET else "small"
    return hidden_picture_response(path=picture_files.storage_path(name=name, size=size))


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


@admin.register(Case)
class CaseAdmin(UserNamesAdmin):
    forbidden = READ_ONLY
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
            moderator_path("new/", open_case, "moderation_open_case"),
            moderator_path("bulk/", bulk_actions.bulk_action, "moderation_bulk_action"),
            moderator_path("comments/", comments.comment_list, "moderation_comments"),
            moderator_path("<id:case_id>/do/", run_command, "moderation_case_command"),
            moderator_path(
                "<id:case_id>/picture/<str:name>/",
                case_picture,
                "moderation_case_picture",
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        case = get_object_or_404(Case, pk=parse_id(object_id))
        return show_case(request, case=case)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return can_moderate(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return can_moderate(request)
