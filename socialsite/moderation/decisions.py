"""Moderation data for users: actions against a user, reports by a user, rules and announcements."""

import time
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404
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

    action: Action
    content_text: str = ""
    appeal: Appeal | None = None

    @property
    def result(self) -> str:
        return str(action_kind(self.action.kind).results[self.action.subject_kind])

    @property
    def is_undone(self) -> bool:
        return self.action.state in (Action.State.UNDOING, Action.State.UNDONE)

    @property
    def can_appeal(self) -> bool:
        is_final = self.action.state == Action.State.FINAL
        return self.appeal is None and not (self.is_undone or is_final)


def actions_against_user(*, user: User) -> list[ActionSummary]:
    """Return the newest actions about which the user was notified, without texts and appeals."""
    actions = Action.objects.filter(user_id=user.pk, is_user_notified=True).order_by("-pk")
    return [ActionSummary(action) for action in actions[:MAX_LISTED]]


def action_against_user(*, action_id: int, user: User) -> ActionSummary:
    """Return an action with its text and appeal. Raises Http404 for actions against other users."""
    action = get_object_or_404(Action, pk=action_id, user_id=user.pk, is_user_notified=True)
    evidence: dict[str, Any] = {}
    if action.subject_kind != "person":
        evidence = current_evidence(subject=subject_from_record(record=action))
        if not evidence["text"] and action.case_id:
            stored = Case.objects.filter(pk=action.case_id).values_list("evidence", flat=True)
            evidence = stored.first() or {}
    appeal = Appeal.objects.filter(action=action.pk).first()
    return ActionSummary(action, evidence.get("text", ""), appeal)


def own_report(*, case_id: int, reporter: User) -> tuple[Report, Case]:
    """Return the user's report in a case, and the case. Raises Http404 if the user did not report."""
    report = get_object_or_404(Report, case=case_id, reporter=reporter.pk)
    return report, get_object_or_404(Case, pk=case_id)


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
