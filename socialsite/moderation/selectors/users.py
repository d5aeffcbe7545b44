"""People as moderators see them, for programs: a bounded number of commands however many there are."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeratedUser:
    uid: int
    username: str
    email: str
    has_confirmed_email: bool
    joined_at: datetime
    is_active: bool
    is_limited: bool
    is_suspended: bool
    is_staff: bool


def moderated_users(*, uids: Iterable[int]) -> dict[int, ModeratedUser]:
    """By uid, also of those whose accounts are closed: two commands."""
    rows = list(User.objects.filter(pk__in=set(uids)).values(*USER_FIELDS))
    found = [row["pk"] for row in rows]
    confirmed = EmailAddress.objects.filter(user__in=found, primary=True, verified=True)
    known = set(confirmed.values_list("user_id", flat=True)) if found else set()
    return {
        row["pk"]: ModeratedUser(
            uid=row["pk"],
            username=row["username"],
            email=row["email"],
            has_confirmed_email=row["pk"] in known,
            joined_at=row["date_joined"],
            is_active=row["is_active"],
            is_limited=row["is_limited"],
            is_suspended=row["suspended_at"] is not None,
            is_staff=row["is_staff"] or row["is_superuser"],
        )
        for row in rows
    }


def users_matching(
    *, status: str = "", is_staff: bool | None = None, prefixes: dict[str, str] | None = None
) -> QuerySet[User]:
    """Newest first. ``standing``: "active", "limited" or "suspended"; ``beginnings``: of their
    ``username``, ``email`` or ``display_name``."""
    found = User.objects.order_by("-pk")
    conditions: dict[str, Any] = {}
    if status == "active":
        conditions["is_active"] = True
    elif status == "limited":
        conditions["is_limited"] = True
    elif status == "suspended":
        conditions["suspended_at__isnull"] = False
    if is_staff is not None:
        conditions["is_staff"] = is_staff
    for field, begins in (prefixes or {}).items():
        # A range instead of a pattern: it walks the index.
        conditions |= {f"{field}__gte": begins, f"{field}__lt": begins + "\U0010ffff"}
    return found.filter(**conditions)


def action_in_force(*, subject: Subject, kind: str) -> Action | None:
    return Action.objects.filter(active_key=f"{kind}:{subject.key}").first()


def has_actions(*, case_id: int) -> bool:
    """Whether something was done because of it."""
    return Action.objects.filter(case=case_id).exists()


def first_reports(*, case_ids: Iterable[int]) -> dict[int, Report]:
    """What was said first, by case: one command."""
    found: dict[int, Report] = {}
    for one in Report.objects.filter(case__in=list(case_ids)).order_by("pk")[:1000]:
        found.setdefault(one.case_id, one)
    return found
