"""Check texts of new accounts for spam and report suspicious texts to moderators.

The checks refuse and hide nothing. An account is new for ``settings.SPAM_NEW_ACCOUNT_DAYS`` days. A uid
contains the time of the sign-up, so checking the age of an account needs no database command.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.infra.plain_text import fold_case
from accounts.selectors.follow_graph import is_following
from feed import signals
from feed.attributes import mentioned_uids
from feed.models import Post
from feed.selectors.post_view import PostView
from feed.store import comments, text_fingerprints
from feed.store.comment_sequences import CommentSequence
from feed.text.spans import spans_in
from feed.text.urls import host_of

MIN_LINKS = 3
"""A post by a new account with this many links looks like spam."""

MIN_MENTIONS = 5
"""A post by a new account that mentions this many users looks like spam."""

MIN_REPEATS = 3
"""This many equal posts look like spam."""


logger = logging.getLogger(__name__)

LINKS, MENTIONS = "links", "mentions"
LARGE_IMPORT = "large_import"

REPEATED, COPIED = "repeated", "copied"
"""``REPEATED``: one user repeats a text. ``COPIED``: several new accounts publish the same text."""

MIN_LETTERS = 15
"""Texts with fewer letters outside links get no fingerprint, because many users write "Good morning!"."""

MAX_COMMENTS = 50
"""Number of comments among which the check looks for others who comment on the author's post."""


def is_new_account(*, uid: int) -> bool:
    return timezone.now() - time_of(id=uid) < timedelta(days=settings.SPAM_NEW_ACCOUNT_DAYS)


def spam_reasons(*, text: str, previous_text: str = "") -> list[str]:
    """Return LINKS if a text has many distinct links, and MENTIONS if it has many distinct mentions.

    A reason is returned only if at least one link or mention is not in ``previous_text``, which was
    already checked.
    """
    links, mentions = _links_and_mentions(text)
    old_links, old_mentions = _links_and_mentions(previous_text)
    has_many = {
        LINKS: links - old_links and len(links) >= MIN_LINKS,
        MENTIONS: mentions - old_mentions and len(mentions) >= MIN_MENTIONS,
    }
    return [reason for reason, is_match in has_many.items() if is_match]


def _links_and_mentions(text: str) -> tuple[set[str], set[str]]:
    """Return the distinct links and the distinct mentions."""
    spans = spans_in(text)
    links = {span.value for span in spans if span.kind == "url"}
    return links, {span.value.lower() for span in spans if span.kind == "mention"}


def text_fingerprint(*, text: str) -> str:
    """Return a hash that is equal for similar texts, or "" for texts shorter than ``MIN_LETTERS``.

    Two texts are similar if they differ only in case, punctuation, digits, mentions, hashtags and the
    paths of links. The text cannot be recovered from the hash.
    """
    words, hosts, end = [], [], 0
    for span in spans_in(text):
        if span.kind == "hashtag":
            continue
        words.append(text[end : span.start])
        end = span.end
        if span.kind == "url":
            hosts.append(host_of(span.value))
    plain = fold_case(" ".join([*words, text[end:]]))
    letters = "".join(sign for sign in plain if sign.isalpha())
    if len(letters) < MIN_LETTERS:
        return ""
    return hashlib.sha256("\n".join([letters, *sorted(hosts)]).encode()).hexdigest()[:32]


def check_post_for_spam(*, post_id: int, author: int, text: str, previous_text: str = "") -> None:
    """Report a post that looks like spam, after the post is published or edited.

    Costs one database command for new accounts and none for other accounts.
    """
    if reasons := _reasons(author, text, previous_text):
        signals.post_suspected.send_robust(
            sender=None, post=post_id, author=author, reasons=reasons
        )


def check_comment_for_spam(
    *,
    comment: int,
    post: PostView,
    parent_id: int,
    author: int,
    text: str,
    previous_text: str = "",
) -> None:
    """Report a comment that looks like spam, like ``check_post_for_spam``.

    Repeated texts and many mentions are not suspicious in a conversation that others have begun with the
    author. Looking for one costs at most seven commands, and none if the text is not suspicious.
    """

    def is_conversation() -> bool:
        return _belongs_to_conversation(post, parent_id, author, text)

    if reasons := _reasons(author, text, previous_text, is_conversation):
        signals.comment_suspected.send_robust(
            sender=None, comment=comment, post=post.id, author=author, reasons=reasons
        )


def report_large_import(*, author: int) -> None:
    """Report the import of an archive with many posts, if the account is new. Safe to repeat."""
    if is_new_account(uid=author):
        signals.import_suspected.send_robust(sender=None, author=author, reasons=[LARGE_IMPORT])


def check_imported_posts(*, posts: Sequence[Post], author: int, is_large_import: bool) -> None:
    """Report imported posts that look like spam, like ``check_post_for_spam``.

    A large import opens no case for each post, but adds the reasons to the case about the import.
    """
    reasons: dict[str, None] = {}
    for post in posts:
        if not is_large_import:
            check_post_for_spam(post_id=post.pk, author=author, text=post.text)
        else:
            reasons |= dict.fromkeys(_reasons(author, post.text, ""))
    if reasons:
        signals.import_suspected.send_robust(sender=None, author=author, reasons=list(reasons))


def delete_fingerprints(*, uid: int) -> None:
    """Delete the fingerprints of a user's texts."""
    text_fingerprints.remove_user(uid=uid)


def _reasons(
    author: int, text: str, before: str, is_conversation: Callable[[], bool] = lambda: False
) -> list[str]:
    """Return the reasons why a text is suspicious. In a conversation, only links are.

    If the check fails, log the error and return no reasons, because the text is already published.
    """
    if not is_new_account(uid=author):
        return []
    try:
        reasons = spam_reasons(text=text, previous_text=before)
        reasons += _repetition_reasons(author, text, before)
        if set(reasons) - {LINKS} and is_conversation():
            return [reason for reason in reasons if reason == LINKS]
        return reasons
    except Exception:
        logger.exception("The spam check of a text by user %s failed", author)
        return []


def _repetition_reasons(author: int, text: str, before: str) -> list[str]:
    fingerprint = text_fingerprint(text=text)
    if not fingerprint or fingerprint == text_fingerprint(
        text=before
    ):  # the author edited the text without changing the fingerprint, which is no repetition
        return []
    uids = text_fingerprints.record_fingerprint(
        fingerprint=fingerprint, uid=author, at=timezone.now()
    )
    matches = {
        REPEATED: uids.count(author) >= MIN_REPEATS,
        COPIED: len(set(uids)) >= MIN_REPEATS,
    }
    return [reason for reason, is_match in matches.items() if is_match]


def _belongs_to_conversation(post: PostView, parent_id: int, author: int, text: str) -> bool:
    """Return whether others talk to the author of a comment, and the text mentions only them.

    They do if they mention, answer or follow the author, comment on the author's post, or take part in the
    same message. The people in the conversation include all readers of a message or limited comment.
    """
    parent = comments.get_comment(post=post.id, id=parent_id) if parent_id else None
    answered = None
    if parent is not None and parent.parent_id:
        answered = comments.get_comment(post=post.id, id=parent.parent_id)
    is_own_parent = parent is not None and parent.uid == author
    if post.author.uid == author:
        commenters = _commenters(post.id) - {author}
        involved = {author} if commenters else set[int]()
    else:
        commenters = set[int]()
        involved = {author} if post.visibility == Post.Visibility.DIRECT else set[int]()
        involved |= set(mentioned_uids(text=post.text))
    if parent is not None and not is_own_parent:
        involved |= set(mentioned_uids(text=parent.text))
        involved |= {answered.uid} if answered else {post.author.uid}
        commenters.update(parent.recipients)
    readers = {card.uid for card in post.participants}
    known = involved | commenters | readers | {post.author.uid, parent.uid if parent else 0, author}
    if not known.issuperset(mentioned_uids(text=text)):
        return False
    hosts = {post.author.uid, parent.uid if parent else 0} - {author, 0}
    return author in involved or any(
        is_following(follower=uid, followee=author) for uid in sorted(hosts)
    )


def _commenters(post_id: int) -> set[int]:
    """Return who wrote the newest comments on a post."""
    newest = CommentSequence(
        post=post_id, thread=0, limit=MAX_COMMENTS, is_backwards=True, with_deleted=False
    )
    return {comment.uid for comment in newest.read()}
