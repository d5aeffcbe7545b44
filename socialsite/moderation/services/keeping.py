"""What time brings: what stays removed is deleted for good, and held posts nobody was told of are found."""

from django.utils import timezone

from feed import selectors as feed
from feed import services as posts
from socialsite.moderation.actions import UNDO_FOR
from socialsite.moderation.models import Action, Appeal, Case, SubjectKind
from socialsite.moderation.subjects import post_subject

from .acting import hold_as_site
from .reporting import open_case

AT_ONCE = 1000


def delete_for_good() -> int:
    """Delete posts and comments that were removed ``UNDO_FOR`` ago, unless an appeal waits; how many."""
    old = Action.objects.filter(
        kind="remove", state=Action.State.IN_FORCE, at__lt=timezone.now() - UNDO_FOR
    )
    found = list(old.order_by("pk")[:AT_ONCE])
    waiting = set(
        Appeal.objects.filter(
            action__in=[one.pk for one in found], state=Appeal.State.OPEN
        ).values_list("action_id", flat=True)
    )
    due = [one for one in found if one.pk not in waiting]
    for action in due:
        # From now on nobody can undo it; should this stop before the deletion, nothing brings it back.
        Action.objects.filter(pk=action.pk).update(state=Action.State.FINAL)
        if action.subject_kind == SubjectKind.COMMENT:
            posts.delete_hidden_comment(post_id=action.post, comment_id=action.subject)
        else:
            posts.delete_removed_post(post_id=action.subject)
    return len(due)


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
