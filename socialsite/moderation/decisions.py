"""Moderation data for users: actions against a user, reports by a user, rules and announcements."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from accounts.services.profiles import dismiss_announcement

from .action_kinds import action_kind
from .models import Action, Announcement, Appeal, Case, Report, Rule
from .subjects import current_evidence, subject_from_record

MAX_LISTED = 100
CACHE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ActionSummary:
    """An action as the affected user sees it. ``content_text`` is the text of the post or comment."""

    id: int
    kind: str
    subject_kind: str
    result: str
    reason: str
    created_at: datetime
    expires_at: datetime | None
    is_undone: bool
    is_final: bool
    content_text: str
    appeal: Appeal | None

    @property
    def can_appeal(self) -> bool:
        return self.appeal is None and not (self.is_undone or self.is_final)


def actions_against_user(*, user: User) -> list[ActionSummary]:
    """Return the newest actions about which the user was notified, without texts and appeals."""
    actions = Action.objects.filter(user_id=user.pk, is_user_notified=True).order_by("-pk")[
        :MAX_LISTED
    ]
    return [_summarize_action(action, text="", appeal=None) for action in actions]


def action_against_user(*, action_id: int, user: User) -> ActionSummary:
    """Return an action with its text and appeal. Raises Http404 for actions against other users."""
    action = Action.objects.filter(pk=action_id, user_id=user.pk, is_user_notified=True).first()
    if action is None:
        raise Http404("Action not found.")
    evidence: dict[str, Any] = {}
    if action.subject_kind != "person":
        evidence = current_evidence(subject=subject_from_record(record=action))
        if not evidence["text"] and action.case_id:
            stored = Case.objects.filter(pk=action.case_id).values_list("evidence", flat=True)
            evidence = stored.first() or {}
    appeal = Appeal.objects.filter(action=action.pk).first()
    return _summarize_action(action, text=evidence.get("text", ""), appeal=appeal)


def _summarize_action(action: Action, *, text: str, appeal: Appeal | None) -> ActionSummary:
    return ActionSummary(
        id=action.pk,
        kind=action.kind,
        subject_kind=action.subject_kind,
        result=str(action_kind(action.kind).results[action.subject_kind]),
        reason=action.reason,
        created_at=action.at,
        expires_at=action.expires_at,
        is_undone=action.state in (Action.State.UNDOING, Action.State.UNDONE),
        is_final=action.state == Action.State.FINAL,
        content_text=text,
        appeal=appeal,
    )


def own_report(*, case_id: int, reporter: User) -> tuple[Report, Case]:
    """Return the user's report in a case, and the case. Raises Http404 if the user did not report."""
    report = Report.objects.filter(case=case_id, reporter=reporter.pk).first()
    case = Case.objects.filter(pk=case_id).first() if report else None
    if report is None or case is None:
        raise Http404("Report not found.")
    return report, case


def rules() -> list[Rule]:
    return list(Rule.objects.order_by("order", "pk")[:MAX_LISTED])


_announcements: tuple[float, list[Announcement]] = (0.0, [])


def announcements() -> list[Announcement]:
    """Return the current announcements. Each process caches announcements for ``CACHE_SECONDS``."""
    global _announcements
    fresh_until, current = _announcements
    if fresh_until <= time.monotonic():
        now = timezone.now()
        rows = Announcement.objects.filter(starts_at__lte=now)
        rows = rows.filter(Q(ends_at=None) | Q(ends_at__gt=now))
        current = list(rows.order_by("-pk")[:3])
        _announcements = (time.monotonic() + CACHE_SECONDS, current)
    return current


def announcements_for(*, user: User | None) -> list[Announcement]:
    """Return the current announcements without those that the user has dismissed."""
    current = announcements()
    if user is None or not current:
        return current
    return [
        announcement
        for announcement in current
        if announcement.pk not in user.dismissed_announcements
    ]


def dismiss(*, announcement_id: int, user: User) -> None:
    """Dismiss a current announcement for a user. Safe to repeat. Raises Http404."""
    if announcement_id not in {announcement.pk for announcement in announcements()}:
        raise Http404("Announcement not found.")
    if announcement_id not in user.dismissed_announcements:
        dismiss_announcement(uid=user.pk, announcement_id=announcement_id)


def clear_announcements_cache() -> None:
    """Clear this process's cache, so that the next call of ``announcements`` reads the database."""
    global _announcements
    _announcements = (0.0, [])
