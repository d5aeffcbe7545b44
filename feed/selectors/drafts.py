"""Read the drafts and scheduled posts of a user. Only their author sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from accounts.infra.cursors import PageBounds
from feed.activities import activity_kind
from feed.models import Picture, Post
from feed.store import drafts
from feed.store.drafts import Draft
from feed.store.post_rows import IdRange

from .list_pages import ListPage
from .pictures import MediaView, picture_view

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft or scheduled post in a list."""

    draft: Draft
    pictures: tuple[MediaView, ...] = ()

    @property
    def id(self) -> int:
        return self.draft.id

    @property
    def due_at(self) -> datetime | None:
        return self.draft.due_at

    @property
    def visibility_label(self) -> str | Promise:
        return Post.Visibility(self.draft.content.audience.visibility).label

    @property
    def kind_label(self) -> str | Promise:
        """Return the name of the activity kind, "" for a note."""
        if self.draft.reply_to_id:
            return pgettext_lazy("noun", "Comment")
        kind = activity_kind(self.draft.content.kind)
        return kind.singular_label if kind.fields else ""

    @property
    def kind_text(self) -> str:
        """Return what the fields of the kind contain, such as the title and the stars of a review."""
        values = self.draft.content.details
        fields = activity_kind(self.draft.content.kind).form_fields(values)
        shown = []
        for name, field_ in fields.items():
            value = values.get(name)
            if isinstance(field_, forms.ChoiceField):
                choices: Any = field_.choices
                value = str(dict(choices).get(value, ""))
            if isinstance(value, str) and value:
                shown.append(value)
        return " · ".join(shown)


@dataclass(frozen=True, slots=True)
class DraftsPage:
    """A page of drafts or scheduled posts.

    ``previous`` and ``next`` are the offsets of the adjacent pages, None if there is no such page.
    """

    drafts: tuple[DraftView, ...]
    previous: int | None
    next: int | None


def own_draft(*, owner: int, draft_id: int) -> Draft:
    """Return a draft or scheduled post of ``owner``. Raises Http404. One command."""
    draft = drafts.get_draft(id=draft_id, owner=owner)
    if draft is None:
        raise Http404("No such draft.")
    return draft


def own_scheduled_post(*, owner: int, draft_id: int) -> Draft:
    """Return a scheduled post of ``owner``. Raises Http404, also for a draft without a due time."""
    draft = own_draft(owner=owner, draft_id=draft_id)
    if draft.due_at is None:
        raise Http404("No such scheduled post.")
    return draft


def draft_view(*, draft: Draft) -> DraftView:
    return draft_views([draft])[0]


def draft_views(rows: Sequence[Draft]) -> tuple[DraftView, ...]:
    """Return the drafts with their pictures. One command, none without pictures."""
    ids = [picture_id for draft in rows for picture_id in draft.content.picture_ids]
    pictures = Picture.objects.filter(post=None).in_bulk(ids) if ids else {}
    return tuple(
        DraftView(
            draft,
            tuple(
                picture_view(picture=pictures[picture_id])
                for picture_id in draft.content.picture_ids
                if picture_id in pictures and pictures[picture_id].owner == draft.owner
            ),
        )
        for draft in rows
    )


def drafts_page(*, owner: int, is_scheduled: bool, offset: int) -> DraftsPage:
    """Return a page of drafts, the newest first, or of scheduled posts, the next first.

    At most two commands.
    """
    offset = min(offset, 10_000)
    read: Any = drafts.scheduled_posts_of if is_scheduled else drafts.drafts_of
    rows = read(owner=owner, skip=offset, limit=PAGE_SIZE + 1)
    return DraftsPage(
        drafts=draft_views(rows[:PAGE_SIZE]),
        previous=max(0, offset - PAGE_SIZE) if offset else None,
        next=offset + PAGE_SIZE if len(rows) > PAGE_SIZE else None,
    )


def scheduled_posts(*, owner: int, bounds: PageBounds) -> ListPage[DraftView]:
    """Return scheduled posts, the newest first, within bounds of their ids. At most two commands."""
    rows = drafts.scheduled_posts_by_id(
        owner=owner, id_range=IdRange.within(bounds), limit=bounds.limit + 1
    )
    has_more, rows = len(rows) > bounds.limit, rows[: bounds.limit]
    if bounds.is_ascending:
        rows.reverse()
    has_older = rows and (has_more or bounds.is_ascending)
    return ListPage(
        items=draft_views(rows),
        older_cursor=str(rows[-1].id) if has_older else None,
        newer_cursor=str(rows[0].id) if rows else None,
    )
