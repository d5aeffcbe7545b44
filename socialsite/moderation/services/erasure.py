"""Erase users from moderation. Safe to repeat after an interruption."""

from socialsite.moderation.models import Action, Appeal, AuditEntry, Case, Note, Report


def erase_user(*, uid: int) -> None:
    """Delete reports by the user, and cases and actions against the user. Clear the uid elsewhere."""
    Action.objects.filter(user_id=uid).delete()
    Case.objects.filter(user_id=uid).delete()
    Report.objects.filter(reporter=uid).delete()
    Case.objects.filter(assignee=uid).update(assignee=None)
    Note.objects.filter(moderator=uid).update(moderator=0)
    Action.objects.filter(moderator=uid).update(moderator=0)
    Action.objects.filter(undone_by=uid).update(undone_by=0)
    Appeal.objects.filter(decided_by=uid).update(decided_by=0)
    AuditEntry.objects.filter(user_id=uid).update(user_id=0, details="")
    AuditEntry.objects.filter(actor=uid).update(actor=0)
