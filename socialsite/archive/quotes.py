"""Which posts imported posts quote: posts of the same archive, and posts of this site.

Quotes of posts on other sites stay links in the text.
"""

import re
from collections.abc import Sequence

from django.http import Http404

from feed.models import Post
from feed.selectors.visible_posts import visible_post

from . import placement
from .drafts import Draft
from .site_urls import local_post_id, site_host, url_host

_LINK_TO_QUOTE = re.compile(r"\ARE: https?://\S+\s*")
"""What Mastodon writes in front of the text of a quote, for sites without quotes."""


def quoted_ids(*, new_drafts: Sequence[tuple[int, Draft]], owner_id: int) -> dict[int, int]:
    """Return the ids of quoted posts by the ids of the posts that quote them.

    Args:
        new_drafts: ``(id, draft)`` of the posts of one chunk.

    One command for quoted posts of the archive, and three for each quote of a post of this site. Posts of
    other users are quoted only if their authors allow it now.
    """
    ids_by_key = {draft.source_key: post_id for post_id, draft in new_drafts}
    quoting = [(post_id, draft) for post_id, draft in new_drafts if draft.quoted_url]
    candidates = {
        candidate: draft.quoted_key
        for _, draft in quoting
        if draft.quoted_at is not None
        for candidate in placement.likely_ids(
            source_key=draft.quoted_key, created_at=draft.quoted_at
        )
    }
    if candidates:
        stored = Post.objects.filter(pk__in=list(candidates), author=owner_id)
        for post_id, origin in stored.values_list("pk", "origin"):
            if (origin or "").endswith(f":{candidates[post_id]}"):
                ids_by_key[candidates[post_id]] = post_id
    quoted = {
        post_id: ids_by_key.get(draft.quoted_key) or _id_on_this_site(draft.quoted_url, owner_id)
        for post_id, draft in quoting
    }
    return {post_id: quoted_id for post_id, quoted_id in quoted.items() if quoted_id}


def text_without_link(*, text: str) -> str:
    """Return the text of a quote without the link to the quoted post."""
    return _LINK_TO_QUOTE.sub("", text)


def _id_on_this_site(url: str, owner_id: int) -> int | None:
    post_id = local_post_id(url) if url_host(url) == site_host() else None
    if post_id is None:
        return None
    try:
        post = visible_post(post_id=post_id, viewer=owner_id, with_interactions=False)
    except Http404:
        return None
    return post.id if post.can_quote else None
