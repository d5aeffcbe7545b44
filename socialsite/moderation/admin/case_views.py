"""The page of a case, and what its buttons do: each is a form of its own, without any script."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from accounts import avatars
from accounts.pictures import withheld_response
from feed import pictures
from socialsite.moderation import decisions, selectors, services
from socialsite.moderation.actions import action_kind, kinds_for
from socialsite.moderation.forms.moderators import ActForm, AppealForm, NoteForm
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.selectors import Reported, reported
from socialsite.moderation.subjects import Subject, person_subject, subject_of

from .asking import case_or_404, may_moderate, moderator_of, page, subject_asked_for

PAGE = "admin:moderation_case_change"


def show(request: HttpRequest, *, case: Case) -> HttpResponse:
    if not may_moderate(request):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
    return _page(request, case)


def _page(request: HttpRequest, case: Case, *, status: int = 200, **forms: Any) -> HttpResponse:
    found = selectors.case_page(case=case, moderator=moderator_of(request))
    named = Counter(report.it.rule for report in found.reports if report.it.rule)
    rule = named.most_common(1)[0][0] if named else ""
    act_form = ActForm(rules=decisions.rules(), initial={"rule": rule})
    shown = {"act_form": act_form, "note_form": NoteForm(), **forms}
    title = _("Case: %(kind)s of %(person)s")
    if case.subject_kind == SubjectKind.PERSON:
        title = _("Case: %(kind)s %(person)s")
    title %= {"kind": case.get_subject_kind_display(), "person": found.person}
    context = page(
        request,
        title=title,
        page=found,
        case=case,
        appeal_form=AppealForm(auto_id=False),
        opts=Case._meta,
        **shown,
    )
    return render(request, "admin/moderation/case.html", context, status=status)


def new(request: HttpRequest) -> HttpResponseBase:
    """To the case about this that is open; where there is none, one can be opened."""
    subject = subject_asked_for(request)
    moderator = moderator_of(request)
    shown = reported(subject=subject, moderator=moderator, evidence=None)
    if shown.now.is_closed:
        raise Http404("Not for moderators.")
    if request.method == "POST":
        source = Case.Source.MODERATOR
        case = services.open_case(subject=subject, source=source, moderator=moderator)
        return redirect(PAGE, case.pk)
    there = Case.objects.filter(open_key=subject.key).first()
    if there is not None:
        return redirect(PAGE, there.pk)
    names = selectors.named(uids=shown.people | {subject.person})
    context = page(
        request,
        title=_("Open a case"),
        subject=subject,
        content=shown.now,
        person=names[subject.person],
        opts=Case._meta,
    )
    return render(request, "admin/moderation/new.html", context)


@require_POST
def do(request: HttpRequest, case_id: int) -> HttpResponseBase:
    """What the button says, by its name: ``do``, or ``act`` for all that is done to somebody."""
    case = case_or_404(case_id)
    if "act" in request.POST:
        return _act(request, case, request.POST["act"])
    deed = DEEDS.get(request.POST.get("do", ""))
    if deed is None:
        raise BadRequest("No such button.")
    return deed(request, case) or redirect(PAGE, case.pk)


def _act(request: HttpRequest, case: Case, button: str) -> HttpResponseBase:
    form = ActForm(request.POST, rules=decisions.rules())
    name, _plus, then = button.partition("+")
    subject = _target(case, name)
    kind = name.rpartition(":")[2]
    if subject is None or kind not in {one.name for one in kinds_for(subject_kind=subject.kind)}:
        raise BadRequest("No such action.")
    if not form.is_valid():
        return _page(request, case, status=400, act_form=form)
    moderator = moderator_of(request)
    try:
        action = services.take_action(
            moderator=moderator, kind=kind, subject=subject, case=case, **form.how
        )
    except services.CannotAct as error:
        messages.error(request, str(error))
        return redirect(PAGE, case.pk)
    messages.success(request, _("Done: %(action)s") % {"action": action_kind(action.kind).label})
    if then == "close":
        _close(request, case, Case.Outcome.ACTED)
    return redirect(PAGE, case.pk)


def _target(case: Case, button: str) -> Subject | None:
    whose, _colon, _kind = button.rpartition(":")
    if whose == "person":
        return person_subject(uid=case.person)
    return None if whose else subject_of(about=case)


def _note(request: HttpRequest, case: Case) -> HttpResponse | None:
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, case, status=400, note_form=form)
    text = form.cleaned_data["text"]
    services.add_note(case=case, moderator=moderator_of(request), text=text)
    return None


def _take(request: HttpRequest, case: Case) -> None:
    moderator = moderator_of(request)
    services.assign(case=case, moderator=moderator, to=moderator.pk)


def _give_back(request: HttpRequest, case: Case) -> None:
    services.assign(case=case, moderator=moderator_of(request), to=None)


def _close(request: HttpRequest, case: Case, outcome: str) -> None:
    if services.close_case(case=case, moderator=moderator_of(request), outcome=outcome):
        messages.success(request, _("The case is closed. Those who reported it are told."))


def _reopen(request: HttpRequest, case: Case) -> HttpResponseRedirect | None:
    try:
        services.reopen_case(case=case, moderator=moderator_of(request))
    except services.CannotReopen:
        messages.warning(request, _("There is a newer case about the same. This is it."))
        there = Case.objects.filter(open_key=subject_of(about=case).key).first()
        return redirect(PAGE, there.pk) if there else None
    return None


DEEDS: dict[str, Callable[[HttpRequest, Case], HttpResponseBase | None]] = {
    "note": _note,
    "take": _take,
    "give": _give_back,
    "close": lambda request, case: _close(request, case, Case.Outcome.NOTHING),
    "close_acted": lambda request, case: _close(request, case, Case.Outcome.ACTED),
    "reopen": _reopen,
}


@require_safe
@cache_control(private=True, no_store=True)
def picture(request: HttpRequest, case_id: int, name: str) -> HttpResponseBase:
    """A picture of what the case is about, withheld or not; no other. ``?large=1``: the large one."""
    case = case_or_404(case_id)
    shown: Reported = reported(
        subject=subject_of(about=case), moderator=moderator_of(request), evidence=case.evidence
    )
    if name in shown.avatars:
        return withheld_response(path=avatars.path(name=name))
    if name not in shown.pictures:
        raise Http404("No such picture here.")
    size = "large" if "large" in request.GET else "small"
    return withheld_response(path=pictures.path(name=name, size=size))
