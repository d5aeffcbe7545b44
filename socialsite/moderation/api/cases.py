"""Cases, which are reports to clients: https://docs.joinmastodon.org/methods/admin/reports/."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, IdField, Inputs, Page, Window, endpoint
from accounts.models import User
from feed import selectors as feed
from feed.api.entities import Status, at, statuses_of
from feed.api.entities.values import Id, Moment
from socialsite.moderation import decisions, selectors, services
from socialsite.moderation.models import Case, Report

from .instance import RuleJson
from .people import AdminAccount, admin_accounts, demand, paged
from .reports import OURS, THEIRS

READ, WRITE = "admin:read:reports", "admin:write:reports"


class AdminReport(TypedDict):
    """``account``: who reported it first; None where the site found it itself."""

    id: Id
    action_taken: bool
    action_taken_at: Moment | None
    category: str
    comment: str
    forwarded: bool
    created_at: Moment
    updated_at: Moment
    account: AdminAccount | None
    target_account: AdminAccount | None
    assigned_account: AdminAccount | None
    action_taken_by_account: AdminAccount | None
    statuses: list[Status]
    rules: list[RuleJson]


def admin_reports(*, cases: Sequence[Case], moderator: User) -> list[AdminReport]:
    """A bounded number of commands however many there are."""
    said = selectors.first_reports(cases=[one.pk for one in cases])
    uids = {one.reporter for one in said.values()}
    uids |= {uid for one in cases for uid in (one.person, one.assignee) if uid}
    people = admin_accounts(uids=list(uids), moderator=moderator)
    posts = feed.posts_told(
        ids=[one.subject for one in cases if one.subject_kind == "post"], viewer=moderator.pk
    )
    shown = statuses_of(views=list(posts.values()), viewer=moderator.pk)
    statuses = {one["id"]: one for one in shown}
    rules = {one.pk: one for one in decisions.rules()}
    return [_report(one, said.get(one.pk), people, statuses, rules) for one in cases]


def _report(
    case: Case,
    said: Report | None,
    people: dict[int, AdminAccount],
    statuses: dict[str, Status],
    rules: dict[int, Any],
) -> AdminReport:
    rule = rules.get(said.rule or 0) if said else None
    status = statuses.get(str(case.subject))
    return {
        "id": str(case.pk),
        "action_taken": not case.is_open,
        "action_taken_at": at(case.closed_at) if case.closed_at else None,
        "category": THEIRS.get(case.category, "other"),
        "comment": said.text if said else "",
        "forwarded": False,
        "created_at": at(case.opened_at),
        "updated_at": at(case.closed_at or case.opened_at),
        "account": people.get(said.reporter) if said else None,
        "target_account": people.get(case.person),
        "assigned_account": people.get(case.assignee) if case.assignee else None,
        "action_taken_by_account": None,
        "statuses": [status] if status else [],
        "rules": [{"id": str(rule.pk), "text": rule.text, "hint": rule.details}] if rule else [],
    }


class ReportsAsked(Window):
    resolved = serializers.BooleanField(default=False)
    account_id = IdField()
    target_account_id = IdField()


@endpoint(READ, takes=ReportsAsked, returns=list[AdminReport], tag="admin")
def reports(request: ApiRequest) -> Any:
    """Cases, the newest first: those that are open, or with ``resolved`` those that are decided."""
    me, given = demand(request), request.given
    found = Case.objects.filter(closed_at__isnull=not given["resolved"]).order_by("-pk")
    if given["target_account_id"] is not None:
        found = found.filter(person=given["target_account_id"])
    if given["account_id"] is not None:
        by = Report.objects.filter(reporter=given["account_id"]).order_by("-pk")
        found = found.filter(pk__in=list(by.values_list("case_id", flat=True)[:1000]))
    ids, page = paged(found.values_list("pk", flat=True), request)
    known = Case.objects.in_bulk(ids)
    cases = [known[pk] for pk in ids if pk in known]
    return Page(admin_reports(cases=cases, moderator=me), page.older, page.newer)


def _case(case_id: int) -> Case:
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        raise Http404("No such report.")
    return case


def _shown(case_id: int, moderator: User) -> AdminReport:
    return admin_reports(cases=[_case(case_id)], moderator=moderator)[0]


@endpoint(READ, returns=AdminReport, tag="admin")
def report(request: ApiRequest, case_id: int) -> Any:
    """A case."""
    return _shown(case_id, demand(request))


class Sorted(Inputs):
    category = serializers.ChoiceField(choices=[*OURS], required=False)


@endpoint(WRITE, takes=Sorted, returns=AdminReport, tag="admin")
def sort(request: ApiRequest, case_id: int) -> Any:
    """Say what it is about. Which rule it is about is for who reports to say."""
    me, case = demand(request), _case(case_id)
    if category := request.given.get("category"):
        services.sort_case(case=case, moderator=me, category=OURS[category])
    return _shown(case_id, me)


@endpoint(WRITE, returns=AdminReport, tag="admin")
def assign(request: ApiRequest, case_id: int) -> Any:
    """Take it on."""
    me = demand(request)
    services.assign(case=_case(case_id), moderator=me, to=me.pk)
    return _shown(case_id, me)


@endpoint(WRITE, returns=AdminReport, tag="admin")
def unassign(request: ApiRequest, case_id: int) -> Any:
    """Leave it to others."""
    me = demand(request)
    services.assign(case=_case(case_id), moderator=me, to=None)
    return _shown(case_id, me)


@endpoint(WRITE, returns=AdminReport, tag="admin")
def resolve(request: ApiRequest, case_id: int) -> Any:
    """Close it; those who reported hear of it."""
    me, case = demand(request), _case(case_id)
    acted = selectors.has_actions(case=case.pk)
    outcome = Case.Outcome.ACTED if acted else Case.Outcome.NOTHING
    services.close_case(case=case, moderator=me, outcome=outcome)
    return _shown(case_id, me)


@endpoint(WRITE, returns=AdminReport, tag="admin")
def reopen(request: ApiRequest, case_id: int) -> Any:
    """Open it again."""
    me = demand(request)
    try:
        services.reopen_case(case=_case(case_id), moderator=me)
    except services.CannotReopen as error:
        raise services.CannotReopen(_("There is another open report about the same.")) from error
    return _shown(case_id, me)
