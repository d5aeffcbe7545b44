"""Cases, which are reports to clients: https://docs.joinmastodon.org/methods/admin/reports/."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import IdField, Inputs, PageInputs
from accounts.infra.api.pages import Page
from accounts.models import User
from feed.api.serializers.statuses import Status, serialize_posts
from feed.api.serializers.values import DateTime, Id, format_datetime
from feed.selectors.rows import visible_post_views
from socialsite.api.instance import RuleJson
from socialsite.moderation import decisions
from socialsite.moderation.models import Case, Report
from socialsite.moderation.selectors.users import first_reports, has_actions
from socialsite.moderation.services import cases as socialsite_cases
from socialsite.moderation.services.cases import CannotReopen, categorize_case

from .reports import API_CATEGORY, CATEGORY_FROM_API
from .users import AdminAccount, paginate_ids, require_moderator, serialize_users

READ_SCOPE, WRITE_SCOPE = "admin:read:reports", "admin:write:reports"


class AdminReport(TypedDict):
    """``account``: who reported it first; None where the site found it itself."""

    id: Id
    action_taken: bool
    action_taken_at: DateTime | None
    category: str
    comment: str
    forwarded: bool
    created_at: DateTime
    updated_at: DateTime
    account: AdminAccount | None
    target_account: AdminAccount | None
    assigned_account: AdminAccount | None
    action_taken_by_account: AdminAccount | None
    statuses: list[Status]
    rules: list[RuleJson]


def serialize_cases(*, cases: Sequence[Case], moderator: User) -> list[AdminReport]:
    """A bounded number of commands however many there are."""
    said = first_reports(case_ids=[one.pk for one in cases])
    uids = {one.reporter for one in said.values()}
    uids |= {uid for one in cases for uid in (one.person, one.assignee) if uid}
    people = serialize_users(uids=list(uids), moderator=moderator)
    posts = visible_post_views(
        post_ids=[one.subject for one in cases if one.subject_kind == "post"], viewer=moderator.pk
    )
    shown = serialize_posts(posts=list(posts.values()), viewer=moderator.pk)
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
        "action_taken_at": format_datetime(case.closed_at) if case.closed_at else None,
        "category": API_CATEGORY.get(case.category, "other"),
        "comment": said.text if said else "",
        "forwarded": False,
        "created_at": format_datetime(case.opened_at),
        "updated_at": format_datetime(case.closed_at or case.opened_at),
        "account": people.get(said.reporter) if said else None,
        "target_account": people.get(case.person),
        "assigned_account": people.get(case.assignee) if case.assignee else None,
        "action_taken_by_account": None,
        "statuses": [status] if status else [],
        "rules": [{"id": str(rule.pk), "text": rule.text, "hint": rule.details}] if rule else [],
    }


class CaseListInputs(PageInputs):
    resolved = serializers.BooleanField(default=False)
    account_id = IdField()
    target_account_id = IdField()


@endpoint(READ_SCOPE, inputs=CaseListInputs, returns=list[AdminReport], tag="admin")
def list_cases(request: ApiRequest) -> Any:
    """Cases, the newest first: those that are open, or with ``resolved`` those that are decided."""
    me, given = require_moderator(request), request.inputs
    found = Case.objects.filter(closed_at__isnull=not given["resolved"]).order_by("-pk")
    if given["target_account_id"] is not None:
        found = found.filter(person=given["target_account_id"])
    if given["account_id"] is not None:
        by = Report.objects.filter(reporter=given["account_id"]).order_by("-pk")
        found = found.filter(pk__in=list(by.values_list("case_id", flat=True)[:1000]))
    ids, page = paginate_ids(found.values_list("pk", flat=True), request)
    known = Case.objects.in_bulk(ids)
    cases = [known[pk] for pk in ids if pk in known]
    return Page(serialize_cases(cases=cases, moderator=me), page.older_cursor, page.newer_cursor)


def _case(case_id: int) -> Case:
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        raise Http404("No such report.")
    return case


def _shown(case_id: int, moderator: User) -> AdminReport:
    return serialize_cases(cases=[_case(case_id)], moderator=moderator)[0]


@endpoint(READ_SCOPE, returns=AdminReport, tag="admin")
def show_case(request: ApiRequest, case_id: int) -> Any:
    """A case."""
    return _shown(case_id, require_moderator(request))


class CategoryInputs(Inputs):
    category = serializers.ChoiceField(choices=[*CATEGORY_FROM_API], required=False)


@endpoint(WRITE_SCOPE, inputs=CategoryInputs, returns=AdminReport, tag="admin")
def update_case(request: ApiRequest, case_id: int) -> Any:
    """Say what it is about. Which rule it is about is for who reports to say."""
    me, case = require_moderator(request), _case(case_id)
    if category := request.inputs.get("category"):
        categorize_case(case=case, moderator=me, category=CATEGORY_FROM_API[category])
    return _shown(case_id, me)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def assign_case(request: ApiRequest, case_id: int) -> Any:
    """Take it on."""
    me = require_moderator(request)
    socialsite_cases.assign_case(case=_case(case_id), moderator=me, assignee=me.pk)
    return _shown(case_id, me)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def unassign_case(request: ApiRequest, case_id: int) -> Any:
    """Leave it to others."""
    me = require_moderator(request)
    socialsite_cases.assign_case(case=_case(case_id), moderator=me, assignee=None)
    return _shown(case_id, me)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def close_case(request: ApiRequest, case_id: int) -> Any:
    """Close it; those who reported hear of it."""
    me, case = require_moderator(request), _case(case_id)
    acted = has_actions(case_id=case.pk)
    outcome = Case.Outcome.ACTED if acted else Case.Outcome.NO_ACTION
    socialsite_cases.close_case(case=case, moderator=me, outcome=outcome)
    return _shown(case_id, me)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def reopen_case(request: ApiRequest, case_id: int) -> Any:
    """Open it again."""
    me = require_moderator(request)
    try:
        socialsite_cases.reopen_case(case=_case(case_id), moderator=me)
    except CannotReopen as error:
        raise CannotReopen(_("There is another open report about the same.")) from error
    return _shown(case_id, me)
