"""What time brings: what stays removed is deleted for good, and held posts nobody was told of are found."""

from django.db.models import Q
from django.utils import timezone

from feed.selectors.rows import ids_pending_review
from feed.services.moderation import delete_hidden_comment
from feed.services.posts import delete_removed_post
from socialsite.moderation.action_kinds import KINDS_DELETING_CONTENT, UNDO_PERIOD
from socialsite.moderation.models import Action, Appeal, Case, SubjectKind
from socialsite.moderation.subjects import post_subject

from .actions import record_pending_review
from .reports import open_case

BATCH_SIZE = 1000

State = Action.State


def delete_removed_content() -> int:
    """Delete posts and comments that were removed ``UNDO_FOR`` ago, unless an appeal waits; how many."""
    long_removed = Q(state=State.IN_FORCE, at__lt=timezone.now() - UNDO_PERIOD)
    stopped_halfway = Q(state=State.FINAL, active_key__isnull=False)
    old = Action.objects.filter(long_removed | stopped_halfway, kind__in=KINDS_DELETING_CONTENT)
    found = list(old.order_by("pk")[:BATCH_SIZE])
    waiting = set(
        Appeal.objects.filter(
            action__in=[one.pk for one in found], state=Appeal.State.OPEN
        ).values_list("action_id", flat=True)
    )
    due = [one for one in found if one.pk not in waiting and _settle_for_good(one)]
    for action in due:
        if action.subject_kind == SubjectKind.COMMENT:
            delete_hidden_comment(post_id=action.post, comment_id=action.subject)
        else:
            delete_removed_post(post_id=action.subject)
        Action.objects.filter(pk=action.pk).update(active_key=None)
    return len(due)


def _settle_for_good(action: Action) -> bool:
    """Nobody can undo it any more; False if somebody just did. Its key goes when it is deleted."""
    still = Action.objects.filter(pk=action.pk, state__in=[State.IN_FORCE, State.FINAL])
    return bool(still.update(state=State.FINAL))


def open_missing_cases() -> int:
    """Of posts that are held, and nobody knows: their process stopped before it could say so. How many."""
    found = ids_pending_review(limit=BATCH_SIZE)
    known = set(
        Action.objects.filter(
            kind="hold", subject__in=found, subject_kind=SubjectKind.POST
        ).values_list("subject", flat=True)
    )
    forgotten = [one for one in found if one not in known]
    for post in forgotten:
        subject = post_subject(post_id=post)
        record_pending_review(
            subject=subject, case=open_case(subject=subject, source=Case.Source.PENDING_REVIEW)
        )
    return len(forgotten)
