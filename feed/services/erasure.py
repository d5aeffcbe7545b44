"""All that somebody wrote and did in the feed goes, and all that others keep of them; what others wrote
stays, and what it tells of itself is right.

The same steps as when they take back one thing after the other. Each step leaves less to be done, so it
may stop anywhere, and is run again from the start.
"""

from contextlib import suppress

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from feed import picture_files, signals, tasks
from feed.models import Delivery, Picture, Post
from feed.selectors.user_counts import clear_cached_counts
from feed.store import (
    active_hours,
    comments,
    erasure,
    hidden_comments,
    likes,
    pending_cleanups,
    posts,
    reading,
    stats,
)

from .comments import delete_comment_unchecked, remove_like_from_comment
from .likes import remove_like_from_post
from .posts import delete_post_unchecked
from .spam_checks import delete_fingerprints

BATCH_SIZE = 200


def erase_user_data(*, uid: int) -> None:
    """Raises what goes wrong; then it is to be called again."""
    for step in ERASURE_STEPS:
        step(uid)


def _posts(uid: int) -> None:
    while ids := erasure.post_ids_by(author=uid, limit=BATCH_SIZE):
        kinds = ContentType.objects.get_for_models(Post, Delivery, for_concrete_models=False)
        told = LogEntry.objects.filter(content_type__in=list(kinds.values()))
        told.filter(object_id__in=[str(one) for one in ids]).delete()
        for post in Post.objects.filter(pk__in=ids):
            delete_post_unchecked(post=post)
        for post_id in ids:
            tasks.forget_post(post_id=post_id)


def _comments(uid: int) -> None:
    for post, comment in erasure.comment_ids_by(uid=uid):
        pending_cleanups.add_cleanup(id=comment, post=post, noted_at=timezone.now())
        delete_comment_unchecked(post=post, id=comment, author=uid)
        tasks.forget_comment(comment_id=comment)
    for post, comment in erasure.hidden_comment_ids_by(uid=uid):
        hidden_comments.delete_hidden_comment(post=post, id=comment)
        tasks.forget_comment(comment_id=comment)
    erasure.remove_from_replies(uid=uid)


def _likes(uid: int) -> None:
    for ids in erasure.liked_ids_of_user(uid=uid):
        there = posts.by_ids(ids=ids)
        on = comments.by_ids(ids=[one for one in ids if one not in there])
        for liked in ids:
            with suppress(LookupError):  # gone this moment, and its likes are about to be
                if liked in there:
                    remove_like_from_post(post_id=liked, uid=uid)
                elif liked in on:
                    remove_like_from_comment(post=on[liked].post, id=liked, uid=uid)
            likes.remove_like(post=liked, uid=uid)


def _what_tells_of_them(uid: int) -> None:
    for post, author in erasure.follow_activities_about(uid=uid):
        Post.objects.filter(pk=post).delete()
        reading.remove_merged_post(author=author, post=post)
        signals.post_deleted.send_robust(sender=None, post=post, author=author)
        tasks.forget_post(post_id=post)
    erasure.remove_from_posts(uid=uid)
    erasure.remove_from_lists(uid=uid)


def _what_they_keep(uid: int) -> None:
    erasure.delete_owned_documents(uid=uid)
    stats.delete_subjects(subjects=[uid])
    active_hours.delete_user(uid=uid)
    clear_cached_counts(uid=uid)
    delete_fingerprints(uid=uid)
    Picture.objects.filter(owner=uid).update(post=Picture.DELETED_POST)
    while picture_files.delete_discarded():
        """Some at a time."""


ERASURE_STEPS = (_posts, _comments, _likes, _what_tells_of_them, _what_they_keep)
