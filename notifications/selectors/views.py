"""Notifications as templates see them, with people, posts and comments looked up for all at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import selectors as people
from accounts.ids import time_of
from accounts.user_cards import UserCard, cards
from feed import selectors as feed
from feed.selectors import PostView
from notifications.kinds import Kind, kind_of
from notifications.store.items import Item

from .grouping import Group


@dataclass(frozen=True, slots=True)
class Notification:
    """One sentence: who did what, to which ``post``, and with which ``words``.

    ``id``: that of its newest item; ``ids``: of all. ``people``: who did it, each once, the last first;
    none where the site itself speaks. ``comment``: the newest comment it is about, 0 if none.
    """

    id: int
    ids: tuple[int, ...]
    kind: Kind
    people: tuple[UserCard, ...]
    post: PostView | None
    comment: int
    words: str
    about: int
    at: datetime
    is_unread: bool

    @property
    def first(self) -> UserCard | None:
        return self.people[0] if self.people else None

    @property
    def second(self) -> UserCard | None:
        """Named too, where it is the only other one."""
        return self.people[1] if len(self.people) == 2 else None

    @property
    def others(self) -> int:
        """How many besides the first."""
        return len(self.people) - 1

    @property
    def who(self) -> SafeString:
        """Those who did it, in words, as links."""
        if self.first is None:
            return mark_safe("")
        first = _link(self.first)
        if self.second is not None:
            return format_html(_("{first} and {second}"), first=first, second=_link(self.second))
        if self.others > 0:
            words = ngettext("{first} and {n} other", "{first} and {n} others", self.others)
            return format_html(words, first=first, n=number_format(self.others))
        return first

    @property
    def url(self) -> str:
        """What it is about."""
        if self.about and self.kind.address:
            return reverse(self.kind.address, args=[self.about])
        if self.post is not None and self.comment:
            return reverse("open_comment", args=[self.post.id, self.comment])
        if self.post is not None:
            return self.post.url
        return self.first.url if self.first else reverse("notifications")


def _link(card: UserCard) -> SafeString:
    name = '<a href="{}"><bdi class="name">{}</bdi></a>'
    return format_html(name, card.url, card.display_name)


@dataclass(frozen=True, slots=True)
class Views:
    """``hidden``: items that cannot be shown now: who did it is gone, muted or apart, or what it is about
    cannot be read."""

    shown: tuple[Notification, ...]
    hidden: tuple[int, ...]


def views_of(*, groups: Sequence[Group], reader: int) -> Views:
    """The same number of commands for however many groups."""
    items = [item for group in groups for item in group]
    actors = {item.actor for item in items} - {0}
    relations = people.relations(viewer=reader, uids=actors)
    unheard = relations.blocks | relations.mutes | relations.gone
    known = cards(uids=actors - unheard)
    posts = feed.posts_told(ids={item.post for item in items} - {0}, viewer=reader)
    comments = feed.comments_told(ids={item.comment for item in items} - {0})

    def can_be_shown(item: Item) -> bool:
        return (
            kind_of(item.kind) is not None
            and (item.actor in known or not item.actor)
            and (item.post in posts or not item.post)
            and (item.comment in comments or not item.comment)
        )

    shown, hidden = [], []
    for group in groups:
        left = [item for item in group if can_be_shown(item)]
        hidden += [item.id for item in group if item not in left]
        if left:
            words = left[0].words or (comments[left[0].comment].text if left[0].comment else "")
            shown.append(_view(left, known, posts.get(left[0].post), words))
    return Views(tuple(shown), tuple(hidden))


def _view(
    group: Group, known: dict[int, UserCard], post: PostView | None, words: str
) -> Notification:
    newest = group[0]
    kind = kind_of(newest.kind)
    assert kind is not None  # noqa: S101 - narrows the type: what has no kind is hidden
    actors = dict.fromkeys(item.actor for item in group if item.actor)
    return Notification(
        id=newest.id,
        ids=tuple(item.id for item in group),
        kind=kind,
        people=tuple(known[uid] for uid in actors),
        post=post,
        comment=newest.comment,
        words=words,
        about=newest.about,
        at=time_of(id=newest.id),
        is_unread=any(not item.is_read for item in group),
    )
