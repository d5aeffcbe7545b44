"""Assign, categorize, annotate, close and reopen cases."""

from django.db import IntegrityError
from django.utils import timezone

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation import notification_kinds
from socialsite.moderation.models import Case, Note, Report
from socialsite.moderation.roles import require_permission
from socialsite.moderation.subjects import subject_from_record

from . import audit_log


class CannotReopen(Refused):
    """There is another open case about the same subject."""


@transactional()
def assign_case(*, case: Case, moderator: User, assignee: int | None) -> None:
    """Assign the case to a moderator, or unassign it with ``assignee=None``."""
    require_permission(moderator=moderator, permission="moderation.moderate")
    if Case.objects.filter(pk=case.pk).exclude(assignee=assignee).update(assignee=assignee):
        audit_log.record_event(
            actor=moderator, event="assigned", case_id=case.pk, user_id=case.user_id
        )


@transactional()
def categorize_case(*, case: Case, moderator: User, category: str) -> None:
    """Set the category of the case, which overrides the categories of its reports."""
    require_permission(moderator=moderator, permission="moderation.moderate")
    if Case.objects.filter(pk=case.pk).exclude(category=category).update(category=category):
        audit_log.record_event(
            actor=moderator, event="sorted", case_id=case.pk, user_id=case.user_id, details=category
        )


@transactional()
def add_note(*, case: Case, moderator: User, text: str) -> None:
    require_permission(moderator=moderator, permission="moderation.moderate")
    Note.objects.create(case=case, moderator=moderator.pk, text=text)


def close_case(*, case: Case, moderator: User, outcome: str) -> bool:
    """Close the case and notify the reporters. Return False if the case is already closed."""
    _require_permission(moderator, case)
    if not _save_closed(case, moderator, outcome):
        return False
    reporters = Report.objects.filter(case=case).values_list("reporter", flat=True)
    notification_kinds.notify_reporters(case=case, reporters=list(reporters))
    return True


def _require_permission(moderator: User, case: Case) -> None:
    """Check the permission to close or reopen the case.

    Superusers may also close cases about other superusers, which no other moderator may close.
    """
    skips_user_check = moderator.is_superuser and case.user_id != moderator.pk
    user_id = None if skips_user_check else case.user_id
    require_permission(moderator=moderator, permission="moderation.moderate", user_id=user_id)


@transactional()
def _save_closed(case: Case, moderator: User, outcome: str) -> bool:
    now = timezone.now()
    open_case = Case.objects.filter(pk=case.pk, closed_at=None)
    if not open_case.update(closed_at=now, outcome=outcome, open_key=None):
        return False
    audit_log.record_event(
        actor=moderator, event=f"closed:{outcome}", case_id=case.pk, user_id=case.user_id
    )
    return True


def reopen_case(*, case: Case, moderator: User) -> bool:
    """Reopen a case. Return False if the case is open. Raises CannotReopen if a newer case is open."""
    _require_permission(moderator, case)
    try:
        return _save_reopened(case, moderator)
    except IntegrityError as error:
        raise CannotReopen from error


@transactional()
def _save_reopened(case: Case, moderator: User) -> bool:
    closed_case = Case.objects.filter(pk=case.pk).exclude(closed_at=None)
    open_key = subject_from_record(record=case).key
    if not closed_case.update(closed_at=None, outcome="", open_key=open_key):
        return False
    audit_log.record_event(actor=moderator, event="reopened", case_id=case.pk, user_id=case.user_id)
    return True
