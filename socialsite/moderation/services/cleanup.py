"""Periodic jobs that delete removed content and open missing cases, and the erasure of users."""

from django.db.models import Q
from django.utils import timezone

from feed.selectors.stored_content import ids_pending_review
from feed.services.moderation import delete_hidden_comment
from feed.services.posts import delete_removed_post
from socialsite.moderation.action_kinds import KINDS_DELETING_CONTENT, UNDO_PERIOD
from socialsite.moderation.models import Action, Appeal, AuditEntry, Case, Note, Report, SubjectKind

from .actions import log_errors
from .reports import open_pending_review

BATCH_SIZE = 1000

State = Action.State


def delete_removed_content() -> int:
    """Delete content that was removed ``UNDO_PERIOD`` ago, unless there is an open appeal.

    Removals with an end date are undone at that date, so their content is never deleted.

    Returns the number of deletions, including those that failed.
    """
    undo_period_start = timezone.now() - UNDO_PERIOD
    long_removed = Q(state=State.IN_FORCE, at__lt=undo_period_start, expires_at=None)
    interrupted = Q(state=State.FINAL, active_key__isnull=False)
    due = Action.objects.filter(long_removed | interrupted, kind__in=KINDS_DELETING_CONTENT)
    actions = list(due.order_by("pk")[:BATCH_SIZE])
    appealed_ids = set(
        Appeal.objects.filter(
            action__in=[action.pk for action in actions], state=Appeal.State.OPEN
        ).values_list("action_id", flat=True)
    )
    final_actions = [
        action for action in actions if action.pk not in appealed_ids and _make_final(action)
    ]
    for action in final_actions:
        with log_errors("The content that action %s removed was not deleted", action.pk):
            _delete_content(action)
    return len(final_actions)


def _delete_content(action: Action) -> None:
    if action.subject_kind == SubjectKind.COMMENT:
        delete_hidden_comment(post_id=action.post, comment_id=action.subject)
    else:
        delete_removed_post(post_id=action.subject)
    Action.objects.filter(pk=action.pk).update(active_key=None)


def _make_final(action: Action) -> bool:
    """Make the action impossible to undo. Return False if the action was undone in the meantime.

    The action keeps its ``active_key`` until the content is deleted, so that the next run finds interrupted
    deletions.
    """
    in_force = Action.objects.filter(pk=action.pk, state__in=[State.IN_FORCE, State.FINAL])
    return bool(in_force.update(state=State.FINAL))


def open_missing_cases() -> int:
    """Open cases for posts pending review that have no case, and return the number of cases.

    A case is missing if a process dies between publishing the post and opening the case.
    """
    post_ids = ids_pending_review(limit=BATCH_SIZE)
    recorded_ids = set(
        Action.objects.filter(
            kind="hold", subject__in=post_ids, subject_kind=SubjectKind.POST
        ).values_list("subject", flat=True)
    )
    missing_ids = [post_id for post_id in post_ids if post_id not in recorded_ids]
    for post_id in missing_ids:
        with log_errors("No case was opened for post %s, which is pending review", post_id):
            open_pending_review(post_id=post_id)
    return len(missing_ids)


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
