"""The real site of a history: the same deeds as the oracle's, through the site's own services."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from accounts.models import User
from accounts.services import blocks_and_mutes, profiles
from accounts.services.blocks_and_mutes import mute_user, unblock_user, unmute_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follows import CannotFollow, follow_user
from accounts.store import audiences
from feed import tasks
from feed.models import Post
from feed.services.posts import CannotPublish, delete_post, edit_post, publish_post
from feed.services.shares import unshare_post
from feed.store import posts
from feed.timeline import backfill, candidates, strategies
from feed.timeline.home import home_page
from feed.timeline.store import seal
from feed.timeline.strategies import buckets
from tests.actions import share_post
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
KEPT_BETWEEN_HISTORIES = {"accounts_user"}
SMALL: list[tuple[Any, str, int]] = [
    (seal, "BUCKET_SIZE", 3),
    (seal, "SEAL_AT", 6),
    (audiences, "BUCKET_CAPACITY", 2),
    (candidates, "MAX_EXAMINED", 8),
    (posts, "AUTHORS_PER_QUERY", 2),
]


class Crash(BaseException):
    """A process that dies: nothing catches it."""


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
    """``late``: posts that nobody has delivered yet; ``unfilled``: follows whose older posts are still
    to be brought. What these concern may be seen early or late."""

    def __init__(self, people: list[User]) -> None:
        self.people = people
        self.uids = [user.pk for user in people]
        self.oracle = Oracle()
        self.late: set[int] = set()
        self.unfilled: set[tuple[int, int]] = set()

    # --- posts ---------------------------------------------------------------------------------

    def publish(self, author: int, *, visibility: str = "public", late: bool = False) -> int:
        """A direct post mentions the person after its author."""
        n = self.uids.index(author)
        other = self.people[(n + 1) % len(self.people)]
        text = f"@{other.username} hello" if visibility == "direct" else "hello"
        if visibility == "direct" and self.oracle.are_apart(author, other.pk):
            with pytest.raises(CannotPublish):
                publish_post(author=author, text=text, visibility=visibility)
            return 0
        with _no_delivery() if late else _nothing():
            result = publish_post(author=author, text=text, visibility=visibility)
        recipients = frozenset([other.pk] if visibility == "direct" else [])
        self.oracle.texts[result] = Text(result, author, visibility, recipients)
        if late and Post.objects.get(pk=result).is_pushed:
            self.late.add(result)
        return result

    def share(self, sharer: int, id: int, *, late: bool = False) -> None:
        text = self.oracle.texts.get(id)
        existing = [
            post
            for post in self.oracle.texts.values()
            if post.share_of == id and post.author == sharer
        ]
        allowed = (
            text is not None
            and self.oracle.may_read(sharer, text)
            and text.visibility in ("public", "unlisted")
        )
        try:
            with _no_delivery() if late else _nothing():
                result = share_post(post_id=id, actor=self._person(sharer))
        except Exception:
            assert not allowed
            return
        assert allowed
        if existing:
            assert result == existing[0].id
            return
        self.oracle.texts[result] = Text(result, sharer, share_of=id)
        if late and Post.objects.get(pk=result).is_pushed:
            self.late.add(result)

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
                return  # not even its author has it at home
            page = home_page(viewer=text.author, limit=1, max_id=id + 1)
            assert page.posts[0].text == words

    def delete(self, id: int) -> None:
        text = self.oracle.texts.pop(id)
        delete_post(post_id=id, actor=self._person(text.author))
        self.late.discard(id)

    def deliver(self, id: int) -> None:
        """Deliver what is late, or repeat what is delivered."""
        Post.objects.filter(pk=id, is_pushed=True).update(
            delivery_state="pending", delivery_parts=[]
        )
        tasks.deliver_post(post_id=id)
        self.late.discard(id)

    def deliver_crashing(self, id: int, at: int) -> None:
        """As ``deliver``, but the process dies before its ``at``-th step, if there are so many."""
        Post.objects.filter(pk=id, is_pushed=True).update(
            delivery_state="pending", delivery_parts=[]
        )
        if Post.objects.get(pk=id).is_pushed:
            self.late.add(id)
        try:
            with dying_at(at):
                tasks.deliver_post(post_id=id)
        except Crash:
            return
        self.late.discard(id)

    # --- people --------------------------------------------------------------------------------

    def follow(self, a: int, b: int, *, unfilled: bool = False) -> None:
        before = set(self.oracle.follows)
        self.oracle.follow(a, b)
        try:
            with patch.object(tasks, "backfill") if unfilled else _nothing():
                follow_user(follower=a, followee=b)
        except CannotFollow:
            assert self.oracle.are_apart(a, b)
        self._note_unfilled(before, unfilled)

    def accept(self, b: int, a: int) -> None:
        self.oracle.accept(b, a)
        accept_follow_request(followee=b, follower=a)

    def unblock(self, a: int, b: int, *, unfilled: bool = False) -> None:
        before = set(self.oracle.follows)
        self.oracle.unblock(a, b)
        with patch.object(tasks, "backfill") if unfilled else _nothing():
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
            blocks_and_mutes.hide_shares(owner=a, other=b, is_hidden=hidden)

    def set_private(self, a: int, *, private: bool) -> None:
        (self.oracle.private.add if private else self.oracle.private.discard)(a)
        profiles.set_private(uid=a, is_private=private)

    # --- inboxes -------------------------------------------------------------------------------

    def drop(self, reader: int, *, crash_at: int | None = None) -> None:
        """The reader stays away, and the daily job comes by; it may die on its way."""
        name = HEADS.get(settings.FEED_STRATEGY)
        if name:
            connection.database[name].update_one({"_id": reader}, {"$set": {"last_seen": LONG_AGO}})
        before = LONG_AGO + timedelta(days=1)
        try:
            with dying_at(crash_at) if crash_at is not None else _nothing():
                strategies.active_strategy().lifecycle.drop_dormant(before=before, limit=10)
        except Crash:
            pass

    def begin(self, reader: int) -> None:
        """The reader comes back and the worker who would fill the inbox is late."""
        with override_settings(FEED_INLINE_BUILD_LIMIT=-1), patch.object(tasks, "enqueue"):
            home_page(viewer=reader, limit=PAGE)

    def build(self, reader: int) -> None:
        strategies.active_strategy().build_inbox(owner=reader)

    def seal(self) -> None:
        if settings.FEED_STRATEGY == "buckets":
            buckets.seal(owners=self.uids)

    # --- looking -------------------------------------------------------------------------------

    def compare(self, reader: int, *, start: int | None = None, limit: int = PAGE) -> None:
        """Every page of this reader, downwards from ``start`` and upwards again, is as it should be."""
        wanted = self.oracle.home(reader)
        if start is not None:
            wanted = [post for post in wanted if post < start]
        optional = self._optional(reader)
        wanted = [post for post in wanted if post not in optional]
        down = self._walk(reader, lambda page: page.older_cursor, "max_id", start, limit)
        down_sure = [post for post in down if post not in optional]
        assert down_sure == wanted, self._told("downwards", reader, down_sure, wanted)
        assert len(set(down)) == len(down), "an entry came twice"
        if start is None:
            up = self._walk(reader, lambda page: page.newer_cursor, "min_id", 0, limit)
            up_sure = sorted(post for post in up if post not in optional)
            assert up_sure == wanted[::-1], self._told("upwards", reader, up_sure, wanted)
            assert len(set(up)) == len(up), "an entry came twice upwards"

    def compare_all(self) -> None:
        """After everything that is late has come."""
        for row in sorted(self.late):
            self.deliver(row)
        self.fill()
        for reader, limit in zip(self.uids, PAGES, strict=True):
            self.compare(reader, limit=limit)

    def _walk(
        self,
        reader: int,
        next_of: Callable[[Any], str | None],
        name: str,
        start: int | None,
        limit: int,
    ) -> list[int]:
        seen: list[int] = []
        cursor = start
        for _ in range(200):
            page = home_page(viewer=reader, limit=limit, **{name: cursor})
            assert len(page.posts) <= limit
            seen += [post.entry_id for post in page.posts]
            further = next_of(page)
            if further is None:
                return seen
            assert int(further) != cursor, "the cursor does not move"
            cursor = int(further)
        raise AssertionError("the pages never end")

    def _told(self, way: str, reader: int, seen: list[int], wanted: list[int]) -> str:
        lacking = [self.oracle.texts.get(post) for post in set(wanted).difference(seen)]
        too_many = [self.oracle.texts.get(post, post) for post in set(seen).difference(wanted)]
        return f"{way}, person {self.uids.index(reader)}: lacks {lacking}, has {too_many}"

    def _optional(self, reader: int) -> set[int]:
        unfilled = {b for a, b in self.unfilled if a == reader}
        return self.late | {
            text.id for text in self.oracle.texts.values() if text.author in unfilled
        }

    def _note_unfilled(self, before: set[tuple[int, int]], unfilled: bool) -> None:
        if unfilled:
            self.unfilled |= self.oracle.follows - before

    def _person(self, uid: int) -> User:
        return self.people[self.uids.index(uid)]


def forget_history() -> None:
    """An empty site with the same people."""
    reset_database(keep=KEPT_BETWEEN_HISTORIES)
    User.objects.filter(is_private=True).update(is_private=False)


@contextmanager
def dying_at(step: int) -> Iterator[None]:
    """Die before the ``step``-th command that writes to the collections of inboxes."""
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
    with patch.object(tasks, "deliver_post"), patch.object(tasks, "enqueue_delivery"):
        yield


@contextmanager
def _nothing() -> Iterator[None]:
    yield
