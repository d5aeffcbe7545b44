"""Follow a hashtag, take that back; tell of what posts are about, so that tags are found and can trend."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from accounts.selectors.profiles import is_visible_to_public
from feed.models import Post
from feed.store import bulk, reading, tags
from feed.text.hashtags import is_tag_key

logger = logging.getLogger(__name__)

MAX_FOLLOWED_TAGS = 200

Attributes = Sequence[dict[str, Any]]


class CannotFollowTag(Refused):
    """Following a hashtag is refused; the message is for the person."""


def follow_tag(*, uid: int, tag: str) -> None:
    """``tag``: as ``tag_key`` writes it. Raises CannotFollowTag for what is no tag, and for too many."""
    if not is_tag_key(tag):
        raise CannotFollowTag(_("There can be no such hashtag."))
    if not reading.follow_tag(viewer=uid, tag=tag, limit=MAX_FOLLOWED_TAGS):
        raise CannotFollowTag(
            _("You follow %(most)d hashtags, and more is not possible. Unfollow one first.")
            % {"most": MAX_FOLLOWED_TAGS}
        )


def unfollow_tag(*, uid: int, tag: str) -> None:
    reading.unfollow_tag(viewer=uid, tag=tag)


def update_tag_usage(
    *,
    post_id: int,
    post: Post,
    old_attributes: Attributes,
    new_attributes: Attributes,
    used_at: datetime | None = None,
) -> None:
    """To be called when a post has other entities than before, also when it is published (before: none)
    and deleted (after: none; the instance has no id any more). ``at``: when that was, if not now.

    Only posts that everybody may read count. What goes wrong is logged: the post itself is written.
    """
    old, new = _hashtags(old_attributes), _hashtags(new_attributes)
    added = [tag for tag in new if tag not in old]
    removed = [tag for tag in old if tag not in new]
    if post.visibility != Post.Visibility.PUBLIC or not (added or removed):
        return
    try:
        if removed:
            tags.uncount_tags(post=post_id, author=post.author_id, found=removed)
        if added and not post.hidden and is_visible_to_public(uid=post.author_id):
            moment = used_at or timezone.now()
            tags.count_tags(post=post_id, author=post.author_id, found=added, at=moment)
    except Exception:
        logger.exception("The hashtags of post %s were not counted", post_id)


def register_imported_tags(*, posts: Sequence[Post]) -> None:
    """There are the hashtags of these older posts of one author. They were used long ago, and do not
    trend."""
    newest = {
        tag: post.pk
        for post in sorted(posts, key=lambda one: one.pk)
        if post.visibility == Post.Visibility.PUBLIC and not post.hidden
        for tag in _hashtags(post.entities)
    }
    if newest and is_visible_to_public(uid=posts[0].author_id):
        bulk.add_old_tags(newest=newest)


def _hashtags(entities: Attributes) -> list[str]:
    return [one["value"] for one in entities if one["kind"] == "hashtag"]
