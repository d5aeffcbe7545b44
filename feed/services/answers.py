"""Answer posts with a card, for example vote in polls."""

from collections.abc import Collection

from django.http import Http404
from django.utils import timezone

from accounts.infra import rate_limits
from accounts.infra.transactions import transactional
from accounts.models import User
from feed.activities import AnswersClosed, Details, HasAnswered, choices_mask
from feed.kinds import AnswerCard
from feed.selectors.post_view import PostView
from feed.store import answers, likes


def answer(*, post: PostView, choices: Collection[int], actor: User) -> str:
    """Answer a post that is visible to the actor, and return the confirmation for the user.

    ``choices`` are numbers of choices, beginning with 0. Raises Http404 if the post takes no answers,
    CannotAnswer, and RateLimited.
    """
    if post.answer_card is None:
        raise Http404("This post takes no answers.")
    unchanged = post.answer_card.check_answer(choices)
    with rate_limits.limited_action(action="vote", subject=actor.pk):
        _add_answer(post, post.answer_card, actor, choices_mask(choices), unchanged)
    return str(post.answer_card.confirmation)


@transactional(retry_duplicate_keys=True)
def _add_answer(post: PostView, card: AnswerCard, user: User, mask: int, old: Details) -> None:
    if not card.is_answer_final:
        answers.remove_answer(post=post.id, uid=user.pk)
    is_counted = not user.is_limited
    try:
        answers.add_answer(post=post.id, uid=user.pk, choices=mask, is_counted=is_counted)
    except likes.AlreadyAdded:
        raise HasAnswered(str(card.repeat_refusal)) from None
    counted = mask if is_counted else 0
    if not answers.count_answer(
        post=post.id, kind=post.kind, choices=counted, unchanged=old, now=timezone.now()
    ):
        raise AnswersClosed(str(card.change_refusal))


@transactional()
def remove_answer(*, post_id: int, uid: int) -> None:
    """Remove a user's answer, if there is one, for the erasure of the user."""
    answers.remove_answer(post=post_id, uid=uid)
