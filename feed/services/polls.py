"""Vote in polls."""

from collections.abc import Collection

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from feed.selectors.polls import PollView
from feed.selectors.post_view import PostView
from feed.store import polls


class CannotVote(Refused):
    """The vote is not accepted. The message is shown to the user."""


class HasVoted(CannotVote):
    """The user has already voted."""


class PollClosed(CannotVote):
    """The poll has ended, is hidden, or its choices were changed after the caller read it."""


def vote(*, post: PostView, choices: Collection[int], actor: User) -> None:
    """Vote in a poll that is visible to the actor. ``choices`` are numbers of choices, beginning with 0.

    A vote cannot be changed. Raises Http404 if the post is no poll, CannotVote, and RateLimited.
    """
    if post.poll is None:
        raise Http404("No such poll.")
    _refuse_invalid_vote(post.poll, choices)
    mask, texts = polls.choices_mask(choices), [choice.text for choice in post.poll.choices]
    with rate_limits.limited_action(action="vote", subject=actor.pk):
        _add_vote(post.id, actor.pk, mask, texts)


def _refuse_invalid_vote(poll: PollView, choices: Collection[int]) -> None:
    if poll.is_own:
        raise CannotVote(_("You cannot vote in your own poll."))
    if poll.own_choices:
        raise HasVoted(_("You have already voted on this poll."))
    if poll.is_over:
        raise PollClosed(_("This poll has ended."))
    if not choices:
        raise CannotVote(_("Choose an answer, then vote."))
    if not all(0 <= number < len(poll.choices) for number in choices):
        raise CannotVote(_("The chosen vote option does not exist."))
    if len(set(choices)) > 1 and not poll.is_multiple:
        raise CannotVote(_("You can choose only one answer in this poll."))


@transactional(retry_duplicate_keys=True)
def _add_vote(post: int, uid: int, mask: int, texts: list[str]) -> None:
    try:
        polls.add_vote(post=post, uid=uid, choices=mask)
    except polls.AlreadyVoted:
        raise HasVoted(_("You have already voted on this poll.")) from None
    if not polls.count_vote(post=post, choices=mask, texts=texts, now=timezone.now()):
        raise PollClosed(_("This poll has ended or was changed. Load the page again."))


@transactional()
def remove_vote(*, post_id: int, uid: int) -> None:
    """Remove a user's vote, if there is one, for the erasure of the user."""
    polls.remove_vote(post=post_id, uid=uid)
