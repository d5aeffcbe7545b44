"""All that somebody wrote and did in the feed goes, and all that others keep of them; what others wrote
stays, and what it tells of itself is right.

The same steps as when they take back one thing after the other. Each step leaves less to be done, so it
may stop anywhere, and is run again from the start.
"""

from contextlib import suppress

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from feed import pictures, signals, tasks
from feed.models import Delivery, Picture, Post
from feed.selectors.described import forget_counts
from feed.store import (
    active_hours,
    comments,
    erasing,
    forgetting,
    hiding,
    likes,
    posts,
    reading,
    stats,
)

from .comments import take_away_comment, take_like_off_comment
from .likes import take_like_off_post
from .posts import take_away_post
from .suspecting import forget_sayings

AT_ONCE = 200


def erase_person(*, uid: int) -> None:
    """Raises what goes wrong; then it is to be called again."""
    for step in STEPS:
        step(uid)


def _posts(uid: int) -> None:
    while ids := erasing.posts_by(author=uid, limit=AT_ONCE):
        kinds = ContentType.objects.get_for_models(Post, Delivery, for_concrete_models=False)
        told = LogEntry.objects.filter(content_type__in=list(kinds.values()))
        told.filter(object_id__in=[str(one) for one in ids]).delete()
        for post in Post.objects.filter(pk__in=ids):
            take_away_post(post=post)
        for post_id in ids:
            tasks.forget_post(post_id=post_id)


def _comments(uid: int) -> None:
    for post, comment in erasing.comments_by(uid=uid):
        forgetting.note(id=comment, post=post, at=timezone.now())
        take_away_comment(post=post, id=comment, author=uid)
        tasks.forget_comment(comment_id=comment)
    for post, comment in erasing.hidden_comments_by(uid=uid):
        hiding.forget(post=post, id=comment)
        tasks.forget_comment(comment_id=comment)
    erasing.forget_in_talk(uid=uid)


def _likes(uid: int) -> None:
    for ids in erasing.liked_by(uid=uid):
        there = posts.by_ids(ids=ids)
        on = comments.by_ids(ids=[one for one in ids if one not in there])
        for liked in ids:
            with suppress(LookupError):  # gone this moment, and its likes are about to be
                if liked in there:
                    take_like_off_post(post=liked, uid=uid)
                elif liked in on:
                    take_like_off_comment(post=on[liked].post, id=liked, uid=uid)
            likes.remove(post=liked, uid=uid)


def _what_tells_of_them(uid: int) -> None:
    for post, author in erasing.telling_of_follows(uid=uid):
        Post.objects.filter(pk=post).delete()
        reading.forget_merged(author=author, post=post)
        signals.post_deleted.send_robust(sender=None, post=post, author=author)
        tasks.forget_post(post_id=post)
    erasing.forget_in_posts(uid=uid)
    erasing.take_off_lists(uid=uid)


def _what_they_keep(uid: int) -> None:
    erasing.delete_owned(uid=uid)
    stats.delete_all_of(subjects=[uid])
    active_hours.delete(uid=uid)
    forget_counts(uid=uid)
    forget_sayings(uid=uid)
    Picture.objects.filter(owner=uid).update(post=Picture.GONE)
    while pictures.remove_gone():
        """Some at a time."""


STEPS = (_posts, _comments, _likes, _what_tells_of_them, _what_they_keep)
