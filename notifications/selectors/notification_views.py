"""Notifications as templates show them.

Rows of the same kind and target share a sentence if they are at most twelve hours older than the newest
row. Bulk look-ups read the users, posts and comments of all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.infra.ids import time_of
from accounts.selectors.relationships import relationships
from accounts.user_cards import UserCard, cards_by_uid
from feed.models import Post
from feed.selectors.post_view import PostView
from feed.selectors.stored_content import readable_comments
from feed.selectors.visible_posts import visible_post_views
from notifications.kinds import Kind, find_kind
from notifications.store.rows import NotificationRow

GROUP_WINDOW = timedelta(hours=12)

Group = list[NotificationRow]
"""Rows that share a sentence, newest first. Never empty."""


def group_rows(rows: Sequence[NotificationRow]) -> list[Group]:
    """Group rows, which must be ordered newest first. Groups are ordered by their newest rows."""
    groups: list[Group] = []
    open_groups: dict[tuple[str, int, int], Group] = {}
    for row in rows:
        kind = find_kind(row.kind)
        # Comments on a post share a group. The likes of each comment have their own group.
        comment_id = 0 if row.kind in ("comment", "thread") else row.comment_id
        target = row.kind, row.post_id, comment_id
        group = open_groups.get(target)
        latest = time_of(id=row.id) + GROUP_WINDOW
        if kind and kind.is_grouped and group and time_of(id=group[0].id) <= latest:
            group.append(row)
            continue
        open_groups[target] = [row]
        groups.append(open_groups[target])
    return groups


@dataclass(frozen=True, slots=True)
class NotificationView:
    """A group of rows, shown as one sentence.

    Attributes:
        id: the id of the newest row.
        people: the distinct actors, latest first. Empty for notifications from the site.
        comment_id: the id of the newest comment, or 0 if the rows are not about a comment.
        is_direct: True if only mentioned people can read the post or the newest comment.
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
    is_direct: bool

    @property
    def first_actor(self) -> UserCard | None:
        return self.people[0] if self.people else None

    @property
    def second_actor(self) -> UserCard | None:
        """Return the second actor if there are exactly two actors, or else None."""
        return self.people[1] if len(self.people) == 2 else None

    @property
    def other_actor_count(self) -> int:
        """Return the number of actors besides the first."""
        return len(self.people) - 1

    @property
    def actor_links(self) -> SafeString:
        """Return the actors as HTML links, such as "Alice and 3 others"."""
        if self.first_actor is None:
            return mark_safe("")
        first = _link(self.first_actor)
        if self.second_actor is not None:
            return format_html(
                _("{first} and {second}"), first=first, second=_link(self.second_actor)
            )
        if self.other_actor_count > 0:
            template = ngettext(
                "{first} and {n} other", "{first} and {n} others", self.other_actor_count
            )
            return format_html(template, first=first, n=number_format(self.other_actor_count))
        # Translators: one person, as the subject of a sentence. Japanese adds a form of address.
        return format_html(pgettext("who did something", "{first}"), first=first)

    @property
    def url(self) -> str:
        """Return the URL of the page that the notification is about."""
        if self.target_id and self.kind.url_name:
            return reverse(self.kind.url_name, args=[self.target_id])
        if self.post is not None and self.comment_id:
            return reverse("comment_permalink", args=[self.post.id, self.comment_id])
        if self.post is not None and self.post.visibility == Post.Visibility.DIRECT:
            return reverse("conversation", args=[self.post.id])
        if self.post is not None:
            return self.post.url
        return self.first_actor.url if self.first_actor else reverse("notifications")


def _link(card: UserCard) -> SafeString:
    name = '<a href="{}"><bdi class="name">{}</bdi></a>'
    return format_html(name, card.url, card.display_name)


@dataclass(frozen=True, slots=True)
class NotificationViews:
    """Visible sentences, and the ids of rows that are hidden from the viewer now.

    A row is hidden if its actor is unavailable or blocked, if the viewer mutes notifications about the
    actor, or if its post or comment is not visible.
    """

    visible: tuple[NotificationView, ...]
    hidden_ids: tuple[int, ...]


def notification_views(*, groups: Sequence[Group], viewer: int) -> NotificationViews:
    """Return the views of all groups. Runs a constant number of commands."""
    rows = [row for group in groups for row in group]
    actors = {row.actor for row in rows} - {0}
    viewer_relationships = relationships(viewer=viewer, uids=actors)
    hidden_uids = viewer_relationships.invisible | viewer_relationships.notifications_muted
    cards = cards_by_uid(uids=actors - hidden_uids)
    posts = visible_post_views(post_ids={row.post_id for row in rows} - {0}, viewer=viewer)
    comments = readable_comments(
        comment_ids={row.comment_id for row in rows} - {0},
        viewer=viewer,
        relationships=viewer_relationships,
    )

    def can_be_shown(row: NotificationRow) -> bool:
        return (
            find_kind(row.kind) is not None
            and (row.actor in cards or not row.actor)
            and (row.post_id in posts or not row.post_id)
            and (row.comment_id in comments or not row.comment_id)
        )

    visible, hidden_ids = [], []
    for group in groups:
        visible_rows = [row for row in group if can_be_shown(row)]
        hidden_ids += [row.id for row in group if row not in visible_rows]
        if visible_rows:
            comment = comments.get(visible_rows[0].comment_id)
            visible.append(
                _view(
                    visible_rows,
                    cards,
                    posts.get(visible_rows[0].post_id),
                    (comment.content_warning or comment.text) if comment else "",
                    comment.visibility if comment else "",
                )
            )
    return NotificationViews(tuple(visible), tuple(hidden_ids))


def _view(
    group: Group,
    cards: dict[int, UserCard],
    post: PostView | None,
    comment_text: str,
    comment_visibility: str,
) -> NotificationView:
    newest = group[0]
    kind = find_kind(newest.kind)
    assert kind is not None  # noqa: S101 - narrows the type: rows without a kind are hidden
    actors = dict.fromkeys(row.actor for row in group if row.actor)
    return NotificationView(
        id=newest.id,
        row_ids=tuple(row.id for row in group),
        kind=kind,
        people=tuple(cards[uid] for uid in actors),
        post=post,
        comment_id=newest.comment_id,
        text=newest.text or comment_text,
        target_id=newest.target_id,
        created_at=time_of(id=newest.id),
        is_unread=any(not row.is_read for row in group),
        is_direct=Post.Visibility.DIRECT in (post and post.visibility, comment_visibility),
    )


def grouped_views(*, viewer: int, rows: Sequence[NotificationRow]) -> list[NotificationView]:
    """Return the visible sentences of these rows (newest first), for mails and pushes.

    Runs a constant number of commands.
    """
    return list(notification_views(groups=group_rows(rows), viewer=viewer).visible)
