"""Follow and feature hashtags, and count the posts with each hashtag for search and trends."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.selectors.profiles import is_visible_to_public
from feed.models import MAX_TEXT_LENGTH, Post
from feed.store import bulk, home_states, pins, tags
from feed.store.post_rows import is_late_import
from feed.text.hashtags import is_tag_key, normalize_tag

logger = logging.getLogger(__name__)

MAX_FOLLOWED_TAGS = 200
MAX_FEATURED_TAGS = pins.MAX_FEATURED_TAGS

Attributes = Sequence[dict[str, Any]]


def follow_tag(*, uid: int, tag: str) -> None:
    """Follow a hashtag. Raises Refused if the tag is invalid or the user follows too many.

    Args:
        tag: the normalized hashtag, as returned by ``text.hashtags.tag_key``.
    """
    if not is_tag_key(tag):
        raise Refused(_("This is not a valid hashtag. Use letters, digits and underscores."))
    if not home_states.follow_tag(viewer=uid, tag=tag, limit=MAX_FOLLOWED_TAGS):
        raise Refused(
            _("You can follow up to %(most)d hashtags. Unfollow a hashtag first.")
            % {"most": MAX_FOLLOWED_TAGS}
        )


def unfollow_tag(*, uid: int, tag: str) -> None:
    home_states.unfollow_tag(viewer=uid, tag=tag)


def choose_tags(*, uid: int, chosen: Sequence[str], shown: Sequence[str]) -> None:
    """Follow the chosen hashtags, and unfollow those of ``shown`` that are not chosen. Safe to repeat.

    Raises Refused if the user follows too many. The hashtags before that stay followed.
    """
    followed = home_states.followed_tags(viewer=uid)
    for tag in shown:
        if tag in followed and tag not in chosen:
            unfollow_tag(uid=uid, tag=tag)
    for tag in chosen:
        if tag not in followed:
            follow_tag(uid=uid, tag=tag)


def update_tag_usage(
    *,
    post_id: int,
    post: Post,
    old_attributes: Attributes,
    new_attributes: Attributes,
    used_at: datetime | None = None,
) -> None:
    """Count the hashtags that a post gained or lost.

    Callers call this after a post is published, edited, hidden, restored or deleted. Only public posts
    count, without late imports. Errors are logged and not raised, because the post itself is already saved.

    Args:
        post_id: id of the post. ``post.pk`` is None after a deletion.
        old_attributes: attributes before the change, empty for a new post.
        new_attributes: attributes after the change, empty for a deleted post.
        used_at: time at which the new hashtags count. None means now.
    """
    old, new = _hashtags(old_attributes), _hashtags(new_attributes)
    added = [tag for tag in new if tag not in old]
    removed = [tag for tag in old if tag not in new]
    if post.visibility != Post.Visibility.PUBLIC or not (added or removed):
        return
    if is_late_import(post.origin):
        return
    try:
        if removed:
            tags.uncount_tags(post=post_id, author=post.author_id, hashtags=removed)
        if added and not post.hidden and is_visible_to_public(uid=post.author_id):
            moment = used_at or timezone.now()
            tags.count_tags(post=post_id, author=post.author_id, hashtags=added, at=moment)
    except Exception:
        logger.exception("The hashtags of post %s were not counted", post_id)


def register_imported_tags(*, posts: Sequence[Post]) -> None:
    """Register the hashtags of one author's imported posts for search, but not for trends."""
    newest = {
        tag: post.pk
        for post in sorted(posts, key=lambda post: post.pk)
        if post.visibility == Post.Visibility.PUBLIC
        and not (post.hidden or is_late_import(post.origin))
        for tag in _hashtags(post.attributes)
    }
    if newest and is_visible_to_public(uid=posts[0].author_id):
        bulk.add_old_tags(newest=newest)


def _hashtags(attributes: Attributes) -> list[str]:
    return [attribute["value"] for attribute in attributes if attribute["kind"] == "hashtag"]


def feature_tag(*, author: int, name: str) -> str:
    """Feature a hashtag, with or without the hash sign, and return its normalized form. Safe to repeat.

    Raises Refused if the hashtag is invalid or the author features too many.
    """
    tag = normalize_tag(name.strip())
    if len(tag) > MAX_TEXT_LENGTH or not is_tag_key(tag):
        raise Refused(_("This is not a valid hashtag. Use letters, digits and underscores."))
    if not pins.add_featured_tag(author=author, id=new_id(), tag=tag):
        raise Refused(
            _("You can feature up to %(most)d hashtags. Remove a hashtag first.")
            % {"most": MAX_FEATURED_TAGS}
        )
    return tag


def unfeature_tag(*, author: int, featured_id: int) -> bool:
    """Remove a hashtag from the profile. Return False if it was not featured."""
    return pins.remove_featured_tag(author=author, id=featured_id)
