"""Cases, which Mastodon's API calls reports: https://docs.joinmastodon.org/methods/admin/reports/."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.models import User
from feed.selectors.visible_posts import visible_post_views
from socialsite.api.instance import RuleJson
from socialsite.api.plumbing.endpoints import ApiRequest, endpoint
from socialsite.api.plumbing.inputs import IdField, Inputs, PageInputs
from socialsite.api.reports import API_CATEGORY, CATEGORY_FROM_API
from socialsite.api.serializers.statuses import Status, serialize_posts
from socialsite.api.serializers.values import DateTime, Id, format_datetime
from socialsite.moderation import decisions
from socialsite.moderation.models import Case, Report
from socialsite.moderation.selectors.users import first_reports, has_actions
from socialsite.moderation.services import cases as socialsite_cases
from socialsite.moderation.services.cases import CannotReopen, categorize_case

from .users import AdminAccount, paginate_ids, require_moderator, serialize_users

READ_SCOPE, WRITE_SCOPE = "admin:read:reports", "admin:write:reports"


class AdminReport(TypedDict):
    """``account`` is the first reporter, or None if nobody has reported the subject."""

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
    """Serialize cases with a bounded number of commands."""
    reports = first_reports(case_ids=[case.pk for case in cases])
    uids = {report.reporter for report in reports.values()}
    uids |= {uid for case in cases for uid in (case.user_id, case.assignee) if uid}
    accounts = serialize_users(uids=list(uids), moderator=moderator)
    post_ids = [case.subject for case in cases if case.subject_kind == "post"]
    posts = visible_post_views(post_ids=post_ids, viewer=moderator.pk)
    statuses = {status["id"]: status for status in serialize_posts(posts=list(posts.values()))}
    rules = {rule.pk: rule for rule in decisions.rules()}
    return [
        _serialize_case(case, reports.get(case.pk), accounts, statuses, rules) for case in cases
    ]


def _serialize_case(
    case: Case,
    report: Report | None,
    accounts: dict[int, AdminAccount],
    statuses: dict[str, Status],
    rules: dict[int, Any],
) -> AdminReport:
    rule = rules.get(report.rule or 0) if report else None
    status = statuses.get(str(case.subject))
    return {
        "id": str(case.pk),
        "action_taken": not case.is_open,
        "action_taken_at": format_datetime(case.closed_at) if case.closed_at else None,
        "category": API_CATEGORY.get(case.category, "other"),
        "comment": report.text if report else "",
        "forwarded": False,
        "created_at": format_datetime(case.opened_at),
        "updated_at": format_datetime(case.closed_at or case.opened_at),
        "account": accounts.get(report.reporter) if report else None,
        "target_account": accounts.get(case.user_id),
        "assigned_account": accounts.get(case.assignee) if case.assignee else None,
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
    """List open cases, or closed cases with ``resolved``, newest first."""
    moderator, inputs = require_moderator(request), request.inputs
    matching = Case.objects.filter(closed_at__isnull=not inputs["resolved"]).order_by("-pk")
    if inputs["target_account_id"] is not None:
        matching = matching.filter(user_id=inputs["target_account_id"])
    if inputs["account_id"] is not None:
        reports = Report.objects.filter(reporter=inputs["account_id"]).order_by("-pk")
        matching = matching.filter(pk__in=list(reports.values_list("case_id", flat=True)[:1000]))
    ids, page = paginate_ids(matching.values_list("pk", flat=True), request)
    cases_by_id = Case.objects.in_bulk(ids)
    cases = [cases_by_id[pk] for pk in ids if pk in cases_by_id]
    return replace(page, results=serialize_cases(cases=cases, moderator=moderator))


def _serialize_case_id(case_id: int, moderator: User) -> AdminReport:
    return serialize_cases(cases=[get_object_or_404(Case, pk=case_id)], moderator=moderator)[0]


@endpoint(READ_SCOPE, returns=AdminReport, tag="admin")
def show_case(request: ApiRequest, case_id: int) -> Any:
    """Return a case."""
    return _serialize_case_id(case_id, require_moderator(request))


class CategoryInputs(Inputs):
    category = serializers.ChoiceField(choices=[*CATEGORY_FROM_API], required=False)


@endpoint(WRITE_SCOPE, inputs=CategoryInputs, returns=AdminReport, tag="admin")
def update_case(request: ApiRequest, case_id: int) -> Any:
    """Change the category. The rule cannot be changed, because the reporter chose the rule."""
    moderator, case = require_moderator(request), get_object_or_404(Case, pk=case_id)
    if category := request.inputs.get("category"):
        categorize_case(case=case, moderator=moderator, category=CATEGORY_FROM_API[category])
    return _serialize_case_id(case_id, moderator)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def assign_case(request: ApiRequest, case_id: int) -> Any:
    """Assign the case to the moderator."""
    moderator = require_moderator(request)
    socialsite_cases.assign_case(
        case=get_object_or_404(Case, pk=case_id), moderator=moderator, assignee=moderator.pk
    )
    return _serialize_case_id(case_id, moderator)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def unassign_case(request: ApiRequest, case_id: int) -> Any:
    """Unassign the case."""
    moderator = require_moderator(request)
    socialsite_cases.assign_case(
        case=get_object_or_404(Case, pk=case_id), moderator=moderator, assignee=None
    )
    return _serialize_case_id(case_id, moderator)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def close_case(request: ApiRequest, case_id: int) -> Any:
    """Close the case and notify the reporters."""
    moderator, case = require_moderator(request), get_object_or_404(Case, pk=case_id)
    outcome = Case.Outcome.ACTED if has_actions(case_id=case.pk) else Case.Outcome.NO_ACTION
    socialsite_cases.close_case(case=case, moderator=moderator, outcome=outcome)
    return _serialize_case_id(case_id, moderator)


@endpoint(WRITE_SCOPE, returns=AdminReport, tag="admin")
def reopen_case(request: ApiRequest, case_id: int) -> Any:
    """Reopen the case."""
    moderator = require_moderator(request)
    try:
        socialsite_cases.reopen_case(case=get_object_or_404(Case, pk=case_id), moderator=moderator)
    except CannotReopen as error:
        raise CannotReopen(
            _(
                "This case cannot be reopened, "
                "because there is a newer open report about the same subject."
            )
        ) from error
    return _serialize_case_id(case_id, moderator)
