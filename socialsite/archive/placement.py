"""Chooses the ids of imported posts, and finds the posts that they quote.

A repeated import chooses the same ids, so it creates no post twice. The time bits of an id are the time at
which the post was written. The bits for node and sequence come from a digest of the author and the post's
address in the archive. If another post has this id, the next id is tried.

Posts quote posts of the same archive and of this site. Quotes of posts on other sites stay links in the
text.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.http import Http404

from accounts.infra.ids import first_id_at, time_of
from accounts.infra.ids.layout import NODE_BITS, SEQUENCE_BITS
from feed.models import Post
from feed.selectors.visible_posts import visible_post
from feed.store.post_rows import LATE_IMPORT

from .drafts import Draft
from .site_urls import local_post_id

IDS_PER_MILLISECOND = 1 << (NODE_BITS + SEQUENCE_BITS)
LIKELY_STEPS = 3
"""How many ids of a quoted post to look up. It has nearly always one of the first."""

LATE_PERIOD = timedelta(days=7)
"""Posts dated after this period before their author joined are late imports (``LATE_IMPORT``)."""

_LINK_TO_QUOTE = re.compile(r"\ARE: https?://\S+\s*")
"""What Mastodon writes in front of the text of a quote, for sites without quotes."""


def import_origin(*, draft: Draft, author_id: int, import_id: int) -> str:
    """Return the value of ``Post.origin`` for an imported post."""
    is_late = draft.created_at > time_of(id=author_id) - LATE_PERIOD
    return f"{LATE_IMPORT if is_late else ''}{import_id}:{draft.source_key}"


def place_drafts(
    *, drafts: Sequence[Draft], author_id: int, import_id: int
) -> tuple[list[tuple[int, Draft]], Counter[str]]:
    """Return ``(id, draft)`` of posts that do not exist yet, ordered by id, and counts of the others.

    The counts ``posts`` and ``pictures`` are what an interrupted run of this import created.
    ``existing_posts`` counts posts that existed before the import, and repeated items of the archive.

    Normally one database command. If the ids of some drafts are taken, one more command for each round of
    further ids.
    """
    counts: Counter[str] = Counter()
    waiting = {draft.source_key: (draft, 0) for draft in drafts}
    counts["existing_posts"] += len(drafts) - len(waiting)  # items that the archive repeats
    new_drafts: dict[int, Draft] = {}
    claimed_ids = {draft.own for draft in drafts if draft.own is not None}
    while waiting:
        wanted_ids = {
            source_key: _id_at(source_key, draft.created_at, step)
            for source_key, (draft, step) in waiting.items()
        }
        rows = Post.objects.filter(pk__in={*wanted_ids.values(), *claimed_ids})
        posts_by_id = {
            row[0]: row for row in rows.values_list("pk", "author_id", "origin", "media")
        }
        retries: dict[str, tuple[Draft, int]] = {}
        for source_key, (draft, step) in waiting.items():
            post_id = wanted_ids[source_key]
            _, author, origin, media = posts_by_id.get(post_id, (0, 0, "", []))
            origin = origin or ""  # posts that were not imported have the origin None
            if draft.own in posts_by_id and posts_by_id[draft.own][1] == author_id:
                counts["existing_posts"] += 1
            elif author == author_id and origin == import_origin(
                draft=draft, author_id=author_id, import_id=import_id
            ):
                counts += Counter(posts=1, pictures=len(media))
            elif author == author_id and origin.endswith(f":{source_key}"):
                counts["existing_posts"] += 1
            elif author or post_id in new_drafts:
                retries[source_key] = (draft, step + 1)
            else:
                new_drafts[post_id] = draft
        waiting = retries
    return sorted(new_drafts.items(), key=lambda pair: pair[0]), counts


def _id_at(source_key: str, created_at: datetime, step: int) -> int:
    offset = int(source_key[:16], 16) + step
    return first_id_at(moment=created_at) + offset % IDS_PER_MILLISECOND


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
        _id_at(draft.quoted_key, draft.quoted_at, step): draft.quoted_key
        for _, draft in quoting
        if draft.quoted_at is not None
        for step in range(LIKELY_STEPS)
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
    post_id = local_post_id(url)
    if post_id is None:
        return None
    try:
        post = visible_post(post_id=post_id, viewer=owner_id, with_interactions=False)
    except Http404:
        return None
    return post.id if post.can_quote else None
