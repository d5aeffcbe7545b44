"""Apply the actions of a history to the real site, through its services, and to the model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.services import follow_settings, profiles
from accounts.services.blocks_and_mutes import mute_user, unblock_user, unmute_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follows import CannotFollow, follow_user
from accounts.services.imports import announce_imported_followers, import_followers
from accounts.store import audiences
from feed import receivers, tasks
from feed.models import Post
from feed.services.interactions import unshare_post
from feed.services.posts import CannotPublish, delete_post
from feed.store import posts
from feed.timeline import backfill, candidates, delivery, strategies
from feed.timeline.home import home_page
from feed.timeline.store import seal
from feed.timeline.strategies import buckets, warmup
from tests.actions import edit_post, publish_post, share_post
from tests.database import reset_database

from .oracle import Oracle, Text

PAGE = 3
PAGES = (2, 3, 5, 8)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
HEADS = {
    "buckets": "inbox_heads",
    "fan_out_on_write": "entry_heads",
    "counted_buckets": "counted_heads",
}
KEPT_COLLECTIONS = {"accounts_user"}
SMALL: list[tuple[Any, str, int]] = [
    (seal, "BUCKET_SIZE", 3),
    (seal, "SEAL_AT", 6),
    (audiences, "BUCKET_CAPACITY", 2),
    (candidates, "MAX_EXAMINED", 8),
    (posts, "AUTHORS_PER_QUERY", 2),
    (strategies, "MIN_OWNERS_PER_THREAD", 1),
]


class Crash(BaseException):
    """The simulated death of a process.

    This is a ``BaseException``, because the site catches ``Exception`` in some places.
    """


@contextmanager
def small_sizes() -> Iterator[None]:
    with (
        override_settings(FEED_INBOX_MAX=12, FEED_INLINE_AUDIENCE_LIMIT=10_000),
        _patched(SMALL),
    ):
        yield


@contextmanager
def _patched(changes: list[tuple[Any, str, int]]) -> Iterator[None]:
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


class Site:
    """A site and its model.

    Attributes:
        late: ids of undelivered posts.
        unfilled: follows with a pending backfill, as ``(follower, followee)``.

    The comparison ignores posts that are late or whose backfill is pending.
    """

    def __init__(self, people: list[User]) -> None:
        self.people = people
        self.uids = [user.pk for user in people]
        self.oracle = Oracle()
        self.late: set[int] = set()
        self.unfilled: set[tuple[int, int]] = set()

    # --- posts ---------------------------------------------------------------------------------

    def publish(self, author: int, *, visibility: str = "public", late: bool = False) -> int:
        """Publish a post. A direct post mentions the next user in ``people``."""
        n = self.uids.index(author)
        other = self.people[(n + 1) % len(self.people)]
        text = f"@{other.username} hello" if visibility == "direct" else "hello"
        if visibility == "direct" and self.oracle.is_blocked(author, other.pk):
            with pytest.raises(CannotPublish):
                publish_post(author=author, text=text, visibility=visibility)
            return 0
        with _no_delivery() if late else _no_change():
            post_id = publish_post(author=author, text=text, visibility=visibility)
        recipients = frozenset([other.pk] if visibility == "direct" else [])
        self.oracle.texts[post_id] = Text(post_id, author, visibility, recipients)
        if late and Post.objects.get(pk=post_id).is_pushed:
            self.late.add(post_id)
        return post_id

    def share(self, sharer: int, id: int, *, late: bool = False) -> None:
        text = self.oracle.texts.get(id)
        earlier_shares = [
            post
            for post in self.oracle.texts.values()
            if post.share_of == id and post.author == sharer
        ]
        is_allowed = (
            text is not None
            and self.oracle.can_view(sharer, text)
            and text.visibility in ("public", "unlisted")
        )
        try:
            with _no_delivery() if late else _no_change():
                share_id = share_post(post_id=id, actor=self._person(sharer))
        except Exception:
            assert not is_allowed
            return
        assert is_allowed
        if earlier_shares:
            assert share_id == earlier_shares[0].id
            return
        self.oracle.texts[share_id] = Text(share_id, sharer, share_of=id)
        if late and Post.objects.get(pk=share_id).is_pushed:
            self.late.add(share_id)

    def undo_share(self, sharer: int, id: int) -> None:
        unshare_post(post_id=id, actor=self._person(sharer))
        for text in list(self.oracle.texts.values()):
            if text.share_of == id and text.author == sharer:
                del self.oracle.texts[text.id]

    def edit(self, id: int, words: str) -> None:
        text = self.oracle.texts[id]
        if text.share_of is None and text.visibility != "direct":
            edit_post(post_id=id, actor=self._person(text.author), text=words)
            if id in self.late:
                return  # the author's inbox lacks the late post, too
            page = home_page(viewer=text.author, bounds=PageBounds(limit=1, max_id=id + 1))
            assert page.posts[0].text == words

    def delete(self, id: int) -> None:
        text = self.oracle.texts.pop(id)
        delete_post(post_id=id, actor=self._person(text.author))
        self.late.discard(id)

    def deliver(self, id: int) -> None:
        """Deliver a late post or repeat a delivery."""
        Post.objects.filter(pk=id, is_pushed=True).update(
            delivery_state="pending", delivery_parts=[]
        )
        tasks.deliver_post(post_id=id)
        self.late.discard(id)

    def deliver_crashing(self, id: int, at: int) -> None:
        """Deliver a post, but crash before write number ``at`` to inboxes.

        A delivery with fewer writes finishes.
        """
        Post.objects.filter(pk=id, is_pushed=True).update(
            delivery_state="pending", delivery_parts=[]
        )
        if Post.objects.get(pk=id).is_pushed:
            self.late.add(id)
        try:
            with crashing_at(at):
                tasks.deliver_post(post_id=id)
        except Crash:
            return
        self.late.discard(id)

    # --- relationships -------------------------------------------------------------------------

    def follow(self, a: int, b: int, *, unfilled: bool = False) -> None:
        before = set(self.oracle.follows)
        self.oracle.follow(a, b)
        try:
            with patch.object(tasks, "backfill") if unfilled else _no_change():
                follow_user(follower=a, followee=b)
        except CannotFollow:
            assert self.oracle.is_blocked(a, b)
        self._note_unfilled(before, unfilled)

    def begin_with_follows(self, pairs: set[tuple[int, int]]) -> None:
        """Create the first follows of the site, with fewer commands than ``follow``."""
        followers_by_followee: dict[int, list[int]] = {}
        for a, b in sorted(pairs):
            self.oracle.follow(a, b)
            followers_by_followee.setdefault(b, []).append(a)
        import_followers(followers_by_followee=followers_by_followee)
        announce_imported_followers()

    def accept(self, b: int, a: int) -> None:
        self.oracle.accept(b, a)
        accept_follow_request(followee=b, follower=a)

    def unblock(self, a: int, b: int, *, unfilled: bool = False) -> None:
        before = set(self.oracle.follows)
        self.oracle.unblock(a, b)
        with patch.object(tasks, "backfill") if unfilled else _no_change():
            unblock_user(owner=a, other=b)
        self._note_unfilled(before, unfilled)

    def fill(self) -> None:
        backfill.run_pending_backfills()
        self.unfilled.clear()

    def mute(self, a: int, b: int) -> None:
        self.oracle.mutes.add((a, b))
        mute_user(owner=a, other=b, until=datetime.now(UTC) + timedelta(hours=1))

    def end_mute(self, a: int, b: int, *, by_time: bool) -> None:
        self.oracle.mutes.discard((a, b))
        if by_time:
            connection.database["blocks_and_mutes"].update_many(
                {"owner": a, "other": b, "kind": "mute"}, {"$set": {"expires_at": LONG_AGO}}
            )
        else:
            unmute_user(owner=a, other=b)

    def hide_shares(self, a: int, b: int, *, hidden: bool) -> None:
        if (a, b) in self.oracle.follows:
            (self.oracle.hides.add if hidden else self.oracle.hides.discard)((a, b))
            follow_settings.hide_shares(owner=a, other=b, is_hidden=hidden)

    def set_private(self, a: int, *, private: bool) -> None:
        (self.oracle.private.add if private else self.oracle.private.discard)(a)
        profiles.set_private(uid=a, is_private=private)

    # --- inboxes -------------------------------------------------------------------------------

    def drop(self, viewer: int, *, crash_at: int | None = None) -> None:
        """Drop the user's dormant inbox, but crash before write number ``crash_at`` if given."""
        name = HEADS.get(settings.FEED_STRATEGY)
        if name:
            connection.database[name].update_one({"_id": viewer}, {"$set": {"last_seen": LONG_AGO}})
        before = LONG_AGO + timedelta(days=1)
        try:
            with crashing_at(crash_at) if crash_at is not None else _no_change():
                strategies.active_strategy().lifecycle.drop_dormant(before=before, limit=10)
        except Crash:
            pass

    def begin(self, viewer: int) -> None:
        """Load the home timeline so that the inbox exists, but leave the inbox unfilled."""
        with patch.object(warmup, "INLINE_BUILD_LIMIT", -1), patch.object(receivers, "enqueue"):
            home_page(viewer=viewer, bounds=PageBounds(limit=PAGE))

    def build(self, viewer: int) -> None:
        strategies.active_strategy().build_inbox(owner=viewer)

    def seal(self) -> None:
        if settings.FEED_STRATEGY == "buckets":
            buckets.seal(owners=self.uids)

    # --- comparison ----------------------------------------------------------------------------

    def compare(self, viewer: int, *, start: int | None = None, limit: int = PAGE) -> None:
        """Compare all pages of the viewer's home timeline with the model.

        The pages are read downwards from ``start``. Without ``start``, they are also read upwards."""
        expected = self.oracle.home(viewer)
        if start is not None:
            expected = [entry_id for entry_id in expected if entry_id < start]
        optional = self._optional(viewer)
        expected = [entry_id for entry_id in expected if entry_id not in optional]
        down = self._walk(viewer, lambda page: page.older_cursor, "max_id", start, limit)
        certain_down = [entry_id for entry_id in down if entry_id not in optional]
        assert certain_down == expected, self._difference(
            "downwards", viewer, certain_down, expected
        )
        assert len(set(down)) == len(down), "an entry came twice"
        if start is None:
            up = self._walk(viewer, lambda page: page.newer_cursor, "min_id", 0, limit)
            certain_up = sorted(entry_id for entry_id in up if entry_id not in optional)
            assert certain_up == expected[::-1], self._difference(
                "upwards", viewer, certain_up, expected
            )
            assert len(set(up)) == len(up), "an entry came twice upwards"

    def compare_all(self) -> None:
        """Finish late deliveries and pending backfills, then compare the home timelines of all users."""
        for post_id in sorted(self.late):
            self.deliver(post_id)
        self.fill()
        for viewer, limit in zip(self.uids, PAGES, strict=True):
            self.compare(viewer, limit=limit)

    def _walk(
        self,
        viewer: int,
        next_of: Callable[[Any], str | None],
        name: str,
        start: int | None,
        limit: int,
    ) -> list[int]:
        seen: list[int] = []
        cursor = start
        for _ in range(200):
            page = home_page(viewer=viewer, bounds=PageBounds(limit=limit, **{name: cursor}))
            assert len(page.posts) <= limit
            seen += [post.entry_id for post in page.posts]
            next_cursor = next_of(page)
            if next_cursor is None:
                return seen
            assert int(next_cursor) != cursor, "the cursor does not move"
            cursor = int(next_cursor)
        raise AssertionError("the pages never end")

    def _difference(self, way: str, viewer: int, seen: list[int], expected: list[int]) -> str:
        missing = [self.oracle.texts.get(entry_id) for entry_id in set(expected).difference(seen)]
        extra = [
            self.oracle.texts.get(entry_id, entry_id) for entry_id in set(seen).difference(expected)
        ]
        return f"{way}, person {self.uids.index(viewer)}: lacks {missing}, has {extra}"

    def _optional(self, viewer: int) -> set[int]:
        unfilled = {b for a, b in self.unfilled if a == viewer}
        return self.late | {
            text.id for text in self.oracle.texts.values() if text.author in unfilled
        }

    def _note_unfilled(self, before: set[tuple[int, int]], unfilled: bool) -> None:
        if unfilled:
            self.unfilled |= self.oracle.follows - before

    def _person(self, uid: int) -> User:
        return self.people[self.uids.index(uid)]


def reset_site() -> None:
    """Reset the site but keep its users."""
    reset_database(keep=KEPT_COLLECTIONS)
    User.objects.filter(is_private=True).update(is_private=False)


@contextmanager
def crashing_at(step: int) -> Iterator[None]:
    """Crash before write number ``step`` (counted from 0) to the collections of inboxes."""
    from pymongo.collection import Collection

    left = step
    names = ("update_many", "update_one", "bulk_write", "insert_many", "delete_many", "replace_one")

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal left
            if self.name.startswith(("inbox_", "counted_")):
                if left <= 0:
                    raise Crash
                left -= 1
            return real(self, *args, **kwargs)

        return call

    with _patched([(Collection, name, counted(getattr(Collection, name))) for name in names]):
        yield


@contextmanager
def _no_delivery() -> Iterator[None]:
    with patch.object(delivery, "deliver_post"), patch.object(tasks, "enqueue_delivery"):
        yield


@contextmanager
def _no_change() -> Iterator[None]:
    yield
