"""Erase a user's posts, comments, likes and private data from the feed.

Content of other users stays, and its counters stay correct, because the steps reuse the ordinary delete
functions. Each step deletes data permanently, so an interrupted erasure can start again from the beginning.
"""

from contextlib import suppress

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from feed import picture_files, signals
from feed.link_cards.cards import delete_cards_only_of
from feed.models import Delivery, Picture, Post
from feed.selectors.people import clear_cached_people
from feed.selectors.trends import clear_cached_trends
from feed.selectors.user_counts import clear_cached_counts
from feed.store import (
    active_hours,
    answers,
    comments,
    erasure,
    hidden_comments,
    home_states,
    likes,
    pending_cleanups,
    posts,
    revisions,
    stats,
    user_content,
)

from .answers import remove_answer
from .cleanups import clean_up_comment, clean_up_post
from .comments import delete_comment_unchecked, remove_like_from_comment
from .interactions import remove_like_from_post
from .posts import delete_post_unchecked
from .spam_checks import delete_fingerprints

BATCH_SIZE = 200


def erase_user_data(*, uid: int) -> None:
    """Erase all feed data of a user. After an exception, the caller can call this again to continue."""
    _erase_posts(uid)
    _erase_comments(uid)
    _erase_likes(uid)
    _erase_answers(uid)
    _erase_references(uid)
    _erase_private_data(uid)


def _erase_posts(uid: int) -> None:
    while ids := erasure.post_ids_by(author=uid, limit=BATCH_SIZE):
        kinds = ContentType.objects.get_for_models(Post, Delivery, for_concrete_models=False)
        log_entries = LogEntry.objects.filter(content_type__in=list(kinds.values()))
        log_entries.filter(object_id__in=[str(post_id) for post_id in ids]).delete()
        for post_id in ids:
            # Before the post, because a repeated erasure no longer knows the ids of deleted posts.
            revisions.delete_revisions_of(post=post_id)
        posts_to_erase = list(Post.objects.filter(pk__in=ids))
        urls = {post.link_card["url"] for post in posts_to_erase if post.link_card}
        # Before the posts, for the same reason.
        delete_cards_only_of(author=uid, urls=urls)
        for post in posts_to_erase:
            delete_post_unchecked(post=post)
        for post_id in ids:
            clean_up_post(post_id=post_id)


def _erase_comments(uid: int) -> None:
    for post, comment in erasure.comment_ids_by(uid=uid):
        pending_cleanups.add_cleanup(id=comment, post=post, noted_at=timezone.now())
        delete_comment_unchecked(post=post, id=comment, author=uid)
        clean_up_comment(comment_id=comment)
    for post, comment in erasure.hidden_comment_ids_by(uid=uid):
        hidden_comments.delete_hidden_comment(post=post, id=comment)
        clean_up_comment(comment_id=comment)
    erasure.remove_from_replies(uid=uid)


def _erase_likes(uid: int) -> None:
    for ids in user_content.batches(user_content.likes_of, uid=uid, limit=BATCH_SIZE):
        liked_posts = posts.by_ids(ids=ids)
        liked_comments = comments.by_ids(
            ids=[liked_id for liked_id in ids if liked_id not in liked_posts]
        )
        for liked_id in ids:
            with suppress(LookupError):  # the post or comment was deleted meanwhile
                if liked_id in liked_posts:
                    remove_like_from_post(post_id=liked_id, uid=uid)
                elif liked_id in liked_comments:
                    remove_like_from_comment(
                        post=liked_comments[liked_id].post, id=liked_id, uid=uid
                    )
            likes.remove_like(post=liked_id, uid=uid)


def _erase_answers(uid: int) -> None:
    for batch in user_content.batches(answers.answers_of, uid=uid, limit=BATCH_SIZE):
        for post_id, _ in batch:
            remove_answer(post_id=post_id, uid=uid)


def _erase_references(uid: int) -> None:
    for post, author in erasure.follow_activities_about(uid=uid):
        Post.objects.filter(pk=post).delete()
        home_states.remove_merged_post(author=author, post=post)
        signals.post_deleted.send_robust(sender=None, post=post, author=author)
        clean_up_post(post_id=post)
    erasure.remove_from_posts(uid=uid)
    erasure.remove_from_lists(uid=uid)


def _erase_private_data(uid: int) -> None:
    erasure.delete_owned_documents(uid=uid)
    pending_cleanups.delete_readers(uid=uid)
    stats.delete_subjects(subjects=[uid])
    active_hours.delete_user(uid=uid)
    clear_cached_counts(uid=uid)
    clear_cached_people()
    clear_cached_trends()
    delete_fingerprints(uid=uid)
    Picture.objects.filter(owner=uid).update(post=Picture.DELETED_POST)
    while picture_files.delete_discarded():
        pass  # each call of ``delete_discarded`` deletes a batch of pictures
