"""Users, actions and reports for the moderation API. Each function costs a bounded number of commands."""

from collections.abc import Iterable
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import QuerySet

from accounts.models import User
from socialsite.moderation.models import Action, Report
from socialsite.moderation.subjects import Subject

USER_FIELDS = (
    *("pk", "username", "email", "date_joined", "is_active", "is_limited", "is_staff"),
    *("is_superuser", "suspended_at", "deactivated_at"),
)


def moderated_users(*, uids: Iterable[int]) -> dict[int, tuple[User, bool]]:
    """Return users by uid, including inactive accounts, and whether their address is confirmed.

    Runs two commands.
    """
    users = User.objects.only(*USER_FIELDS).in_bulk(list(set(uids)))
    confirmed = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    confirmed_uids = set(confirmed.values_list("user_id", flat=True)) if users else set()
    return {uid: (user, uid in confirmed_uids) for uid, user in users.items()}


def users_matching(
    *, status: str = "", is_staff: bool | None = None, prefixes: dict[str, str] | None = None
) -> QuerySet[User]:
    """Return matching users, newest first.

    Args:
        status: "active", "limited", "suspended", or "" for all users.
        prefixes: prefixes of ``username``, ``email`` or ``display_name``.
    """
    users = User.objects.order_by("-pk")
    conditions: dict[str, Any] = {}
    if status == "active":
        conditions["is_active"] = True
    elif status == "limited":
        conditions["is_limited"] = True
    elif status == "suspended":
        conditions["suspended_at__isnull"] = False
    if is_staff is not None:
        conditions["is_staff"] = is_staff
    for field, prefix in (prefixes or {}).items():
        # Unlike a pattern, a range of values can use the index.
        conditions |= {f"{field}__gte": prefix, f"{field}__lt": prefix + "\U0010ffff"}
    return users.filter(**conditions)


def action_in_force(*, subject: Subject, kind: str) -> Action | None:
    return Action.objects.filter(active_key=f"{kind}:{subject.key}").first()


def has_actions(*, case_id: int) -> bool:
    """Return whether any action was taken in the case."""
    return Action.objects.filter(case=case_id).exists()


def first_reports(*, case_ids: Iterable[int]) -> dict[int, Report]:
    """Return the first report of each case by case id. Runs one command."""
    reports: dict[int, Report] = {}
    for report in Report.objects.filter(case__in=list(case_ids)).order_by("pk")[:1000]:
        reports.setdefault(report.case_id, report)
    return reports
