"""Leave what unavailable users did out of numbers and lists that everybody sees (decision 0030).

*Unavailable* users are inactive or limited by moderators: strangers do not see them. What they do meanwhile
is not counted. A job discounts what they did before, and counts it again when they are available.

Each transaction reads the user's status, and changes one like, answer, comment, share or quote with its
number. What is stored says whether it is counted. So the job may be repeated, interrupted and run twice,
while the user acts and the status changes.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain

from accounts.infra.transactions import BACKGROUND_ATTEMPTS, transactional
from accounts.models import User
from feed.models import Post
from feed.store import answers, comments, likes, pending_cleanups, post_counters, quotes, shares
from feed.store.collections import answer_buckets, like_buckets
from feed.store.comment_rows import Comment
from feed.store.shares import Share
from feed.store.user_content import batches, comments_of

from .quotes import CannotQuote, count_quote, discount_quote, kept_quote


def correct_numbers(*, uid: int, change: int) -> None:
    """Correct the numbers to which a user contributed. Stop if there is a newer change of the status."""
    for correct, with_private in _corrections(uid):
        if not pending_cleanups.claim_change(uid=uid, change=change):
            return
        with suppress(LookupError, CannotQuote):  # what was counted is deleted or hidden
            _in_transaction(correct, uid, with_private=with_private)
    pending_cleanups.remove_cleanup(id=uid, change=change)


def _corrections(uid: int) -> Iterator[tuple[Callable[[bool], None], bool]]:
    """Yield functions of ``_is_counted``, each for one like, answer, ..., and its ``with_private``."""
    is_counted, is_open = _is_counted(uid), _is_counted(uid, with_private=False)
    for post in likes.posts_to_move(buckets=like_buckets(), uid=uid, is_counted=is_counted):
        yield partial(_correct_like, uid, post), True
    for post in likes.posts_to_move(buckets=answer_buckets(), uid=uid, is_counted=is_counted):
        yield partial(_correct_answer, uid, post), True
    for comment in chain.from_iterable(batches(comments_of, uid=uid, limit=200)):
        if comment.is_author_limited == is_counted:
            yield partial(_correct_comment, comment), True
    for share in shares.shares_by(author=uid, is_private=is_open):
        yield partial(_correct_share, share), False
    for post in quotes.quoting_ids(author=uid, is_private=is_open):
        yield partial(_correct_quote, post), False


def _is_counted(uid: int, *, with_private: bool = True) -> bool:
    """Return whether to count what a user does, or only if posts of the user are not private."""
    user = User.objects.filter(pk=uid, is_active=True, is_limited=False).first()
    return user is not None and (with_private or not user.is_private)


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def _in_transaction(correct: Callable[[bool], None], uid: int, *, with_private: bool) -> None:
    correct(_is_counted(uid, with_private=with_private))


def _correct_like(uid: int, target: int, is_counted: bool) -> None:
    was_counted = likes.remove_like(post=target, uid=uid)
    if was_counted is None:
        return
    likes.add_like(post=target, uid=uid, is_counted=is_counted)
    if comment := comments.by_ids(ids=[target]).get(target):
        change = int(is_counted) - int(was_counted)
        comments.change_like_count(post=comment.post, id=target, change=change)
    elif is_counted != was_counted:
        change_like = post_counters.add_like if is_counted else post_counters.remove_like
        change_like(post=target, uid=uid)


def _correct_answer(uid: int, post: int, is_counted: bool) -> None:
    choices = answers.remove_answer(post=post, uid=uid)
    if choices is not None:
        answers.add_answer(post=post, uid=uid, choices=choices, is_counted=is_counted)
        answers.change_counts(post=post, choices=choices, change=int(is_counted))


def _correct_comment(comment: Comment, is_counted: bool) -> None:
    if not comments.set_author_limited(comment=comment, is_limited=not is_counted):
        return
    if is_counted:
        post_counters.restore_comment(post=comment.post, is_limited=False)
    else:
        post_counters.remove_comment(post=comment.post, comment_id=comment.id, is_limited=False)


def _correct_share(share: Share, is_counted: bool) -> None:
    deleted = shares.delete_share(id=share.id, author=share.author, post=share.post)
    if deleted is not None:
        shares.insert_share(share=replace(share, is_private=not is_counted))
        change = int(is_counted) - int(not deleted.is_private)
        post_counters.change_share_count(post=share.post, change=change)


def _correct_quote(post_id: int, is_counted: bool) -> None:
    for post in Post.objects.filter(pk=post_id):
        discount_quote(post_id=post_id)
        for quote in kept_quote(attributes=post.attributes):
            quote["is_private"] = not is_counted
        post.save(update_fields=["attributes"])
        count_quote(post=post)
