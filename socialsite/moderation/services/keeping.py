"""What time brings: what stays removed is deleted for good, and held posts nobody was told of are found."""

from django.db.models import Q
from django.utils import timezone

from feed import selectors as feed
from feed import services as posts
from socialsite.moderation.actions import DELETED_IN_THE_END, UNDO_FOR
from socialsite.moderation.models import Action, Appeal, Case, SubjectKind
from socialsite.moderation.subjects import post_subject

from .acting import hold_as_site
from .reporting import open_case

AT_ONCE = 1000

State = Action.State


def delete_for_good() -> int:
    """Delete posts and comments that were removed ``UNDO_FOR`` ago, unless an appeal waits; how many."""
    long_removed = Q(state=State.IN_FORCE, at__lt=timezone.now() - UNDO_FOR)
    stopped_halfway = Q(state=State.FINAL, active_key__isnull=False)
    old = Action.objects.filter(long_removed | stopped_halfway, kind__in=DELETED_IN_THE_END)
    found = list(old.order_by("pk")[:AT_ONCE])
    waiting = set(
        Appeal.objects.filter(
            action__in=[one.pk for one in found], state=Appeal.State.OPEN
        ).values_list("action_id", flat=True)
    )
    due = [one for one in found if one.pk not in waiting and _settle_for_good(one)]
    for action in due:
        if action.subject_kind == SubjectKind.COMMENT:
            posts.delete_hidden_comment(post_id=action.post, comment_id=action.subject)
        else:
            posts.delete_removed_post(post_id=action.subject)
        Action.objects.filter(pk=action.pk).update(active_key=None)
    return len(due)


def _settle_for_good(action: Action) -> bool:
    """Nobody can undo it any more; False if somebody just did. Its key goes when it is deleted."""
    still = Action.objects.filter(pk=action.pk, state__in=[State.IN_FORCE, State.FINAL])
    return bool(still.update(state=State.FINAL))


def open_forgotten_cases() -> int:
    """Of posts that are held, and nobody knows: their process stopped before it could say so. How many."""
    found = feed.held_posts(limit=AT_ONCE)
    known = set(
        Action.objects.filter(
            kind="hold", subject__in=found, subject_kind=SubjectKind.POST
        ).values_list("subject", flat=True)
    )
    forgotten = [one for one in found if one not in known]
    for post in forgotten:
        subject = post_subject(post_id=post)
        hold_as_site(subject=subject, case=open_case(subject=subject, source=Case.Source.HELD))
    return len(forgotten)
