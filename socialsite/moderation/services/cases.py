"""Work on a case: take it, write notes, close it and open it again."""

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
    """There is another open case about the same."""


@transactional()
def assign_case(*, case: Case, moderator: User, assignee: int | None) -> None:
    """Say who works on it; None: nobody."""
    require_permission(moderator=moderator, permission="moderation.moderate")
    if Case.objects.filter(pk=case.pk).exclude(assignee=assignee).update(assignee=assignee):
        audit_log.record_event(
            actor=moderator, event="assigned", case_id=case.pk, user_id=case.person
        )


@transactional()
def categorize_case(*, case: Case, moderator: User, category: str) -> None:
    """Say what it is about, whatever those who reported thought."""
    require_permission(moderator=moderator, permission="moderation.moderate")
    if Case.objects.filter(pk=case.pk).exclude(category=category).update(category=category):
        audit_log.record_event(
            actor=moderator, event="sorted", case_id=case.pk, user_id=case.person, details=category
        )


@transactional()
def add_note(*, case: Case, moderator: User, text: str) -> None:
    require_permission(moderator=moderator, permission="moderation.moderate")
    Note.objects.create(case=case, moderator=moderator.pk, text=text)


def close_case(*, case: Case, moderator: User, outcome: str) -> bool:
    """Decide that enough is done; those who reported hear of it. False if it is closed already."""
    _demand(moderator, case)
    if not _close(case, moderator, outcome):
        return False
    reporters = Report.objects.filter(case=case).values_list("reporter", flat=True)
    notification_kinds.notify_reporters(case=case, reporters=list(reporters))
    return True


def _demand(moderator: User, case: Case) -> None:
    """Who may do everything closes also what is about others like them: it would stay open for ever."""
    is_others = moderator.is_superuser and case.person != moderator.pk
    person = None if is_others else case.person
    require_permission(moderator=moderator, permission="moderation.moderate", user_id=person)


@transactional()
def _close(case: Case, moderator: User, outcome: str) -> bool:
    now = timezone.now()
    still_open = Case.objects.filter(pk=case.pk, closed_at=None)
    if not still_open.update(closed_at=now, outcome=outcome, open_key=None):
        return False
    audit_log.record_event(
        actor=moderator, event=f"closed:{outcome}", case_id=case.pk, user_id=case.person
    )
    return True


def reopen_case(*, case: Case, moderator: User) -> bool:
    """False if it is open. Raises CannotReopen where a new one about the same is."""
    _demand(moderator, case)
    try:
        return _reopen(case, moderator)
    except IntegrityError as error:
        raise CannotReopen from error


@transactional()
def _reopen(case: Case, moderator: User) -> bool:
    closed = Case.objects.filter(pk=case.pk).exclude(closed_at=None)
    if not closed.update(closed_at=None, outcome="", open_key=subject_from_record(record=case).key):
        return False
    audit_log.record_event(actor=moderator, event="reopened", case_id=case.pk, user_id=case.person)
    return True
