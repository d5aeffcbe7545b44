"""Which items are told in one sentence: those of one kind and target, within twelve hours of the newest."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.infra.ids import time_of
from accounts.selectors.relationships import relationships
from accounts.user_cards import UserCard, cards_by_uid
from feed.selectors.pages import PostView
from feed.selectors.rows import comments_by_ids, visible_post_views
from notifications.kinds import Kind, find_kind
from notifications.store.rows import NotificationRow

GROUP_WINDOW = timedelta(hours=12)

Group = list[NotificationRow]
"""The newest first; never empty."""


def group_rows(items: Sequence[NotificationRow]) -> list[Group]:
    """Groups by their newest items, the newest first, as the items come."""
    groups: list[Group] = []
    open_groups: dict[tuple[str, int, int], Group] = {}
    for item in items:
        kind = find_kind(item.kind)
        target = _target_of(item)
        group = open_groups.get(target)
        if kind is not None and kind.is_grouped and group is not None and _is_near(group[0], item):
            group.append(item)
            continue
        open_groups[target] = [item]
        groups.append(open_groups[target])
    return groups


def _target_of(item: NotificationRow) -> tuple[str, int, int]:
    # What is said to a post is told together; what is done to one comment is about that one.
    comment = 0 if item.kind in ("comment", "thread") else item.comment_id
    return item.kind, item.post_id, comment


def _is_near(newest: NotificationRow, item: NotificationRow) -> bool:
    return time_of(id=newest.id) - time_of(id=item.id) <= GROUP_WINDOW


# MERGED FROM notifications.selectors.notification_views: Notifications as templates see them, with people, posts and comments looked up for all at once.
@dataclass(frozen=True, slots=True)
class NotificationView:
    """One sentence: who did what, to which ``post``, and with which ``words``.

    ``id``: that of its newest item; ``ids``: of all. ``people``: who did it, each once, the last first;
    none where the site itself speaks. ``comment``: the newest comment it is about, 0 if none.
    """

    id: int
    row_ids: tuple[int, ...]
    kind: Kind
    people: tuple[UserCard, ...]
    post: PostView | None
    comment_id: int
    text: str
    target_id: int
    created_at: datetime
    is_unread: bool

    @property
    def first_actor(self) -> UserCard | None:
        return self.people[0] if self.people else None

    @property
    def second_actor(self) -> UserCard | None:
        """Named too, where it is the only other one."""
        return self.people[1] if len(self.people) == 2 else None

    @property
    def other_actor_count(self) -> int:
        """How many besides the first."""
        return len(self.people) - 1

    @property
    def actor_links(self) -> SafeString:
        """Those who did it, in words, as links."""
        if self.first_actor is None:
            return mark_safe("")
        first = _link(self.first_actor)
        if self.second_actor is not None:
            return format_html(
                _("{first} and {second}"), first=first, second=_link(self.second_actor)
            )
        if self.other_actor_count > 0:
            words = ngettext(
                "{first} and {n} other", "{first} and {n} others", self.other_actor_count
            )
            return format_html(words, first=first, n=number_format(self.other_actor_count))
        return first

    @property
    def url(self) -> str:
        """What it is about."""
        if self.target_id and self.kind.url_name:
            return reverse(self.kind.url_name, args=[self.target_id])
        if self.post is not None and self.comment_id:
            return reverse("open_comment", args=[self.post.id, self.comment_id])
        if self.post is not None:
            return self.post.url
        return self.first_actor.url if self.first_actor else reverse("notifications")


def _link(card: UserCard) -> SafeString:
    name = '<a href="{}"><bdi class="name">{}</bdi></a>'
    return format_html(name, card.url, card.display_name)


@dataclass(frozen=True, slots=True)
class NotificationViews:
    """``hidden``: items that cannot be shown now: who did it is gone, muted or apart, or what it is about
    cannot be read."""

    visible: tuple[NotificationView, ...]
    hidden_ids: tuple[int, ...]


def notification_views(*, groups: Sequence[Group], viewer: int) -> NotificationViews:
    """The same number of commands for however many groups."""
    items = [item for group in groups for item in group]
    actors = {item.actor for item in items} - {0}
    relations = relationships(viewer=viewer, uids=actors)
    unheard = relations.blocked | relations.muted | relations.unavailable
    known = cards_by_uid(uids=actors - unheard)
    posts = visible_post_views(post_ids={item.post_id for item in items} - {0}, viewer=viewer)
    comments = comments_by_ids(comment_ids={item.comment_id for item in items} - {0})

    def can_be_shown(item: NotificationRow) -> bool:
        return (
            find_kind(item.kind) is not None
            and (item.actor in known or not item.actor)
            and (item.post_id in posts or not item.post_id)
            and (item.comment_id in comments or not item.comment_id)
        )

    shown, hidden = [], []
    for group in groups:
        left = [item for item in group if can_be_shown(item)]
        hidden += [item.id for item in group if item not in left]
        if left:
            words = left[0].text or (
                comments[left[0].comment_id].text if left[0].comment_id else ""
            )
            shown.append(_view(left, known, posts.get(left[0].post_id), words))
    return NotificationViews(tuple(shown), tuple(hidden))


def _view(
    group: Group, known: dict[int, UserCard], post: PostView | None, words: str
) -> NotificationView:
    newest = group[0]
    kind = find_kind(newest.kind)
    assert kind is not None  # noqa: S101 - narrows the type: what has no kind is hidden
    actors = dict.fromkeys(item.actor for item in group if item.actor)
    return NotificationView(
        id=newest.id,
        row_ids=tuple(item.id for item in group),
        kind=kind,
        people=tuple(known[uid] for uid in actors),
        post=post,
        comment_id=newest.comment_id,
        text=words,
        target_id=newest.target_id,
        created_at=time_of(id=newest.id),
        is_unread=any(not item.is_read for item in group),
    )


# MERGED FROM notifications.selectors.notification_views: What somebody was told, of chosen items: for mails.
def grouped_views(*, viewer: int, rows: Sequence[NotificationRow]) -> list[NotificationView]:
    """In sentences, but for what cannot be shown to the reader now. ``items``: the newest first. A constant
    number of commands."""
    return list(notification_views(groups=group_rows(rows), viewer=viewer).visible)
