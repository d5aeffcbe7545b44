"""The shapes that templates see, and how they are made from rows: one card look-up a page."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import selectors as people
from accounts.user_cards import UserCard, cards
from feed import pictures
from feed.activities import Details, Review, activity
from feed.store.rows import PostRow
from feed.text.mentions import dotted_names

from .filtering import Folding
from .visible import SHAREABLE, Seen, Shown

FOLD_FROM = 4
SHOWN_OF_RUN = 2
"""Of a run of so many entries by one person the first two are shown, the others folded."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a comment, for lists of posts."""

    id: int
    by: UserCard
    text: str


@dataclass(frozen=True, slots=True)
class MediaView:
    """A picture of a post. ``width`` and ``height``: of the large file. ``focus``: as in ``Picture``.
    ``signed_for``: as in
    ``pictures.url``."""

    id: int
    name: str
    alt: str
    width: int
    height: int
    focus: Sequence[float] = ()
    signed_for: int | None = None

    @property
    def small(self) -> str:
        return pictures.url(name=self.name, size="small", signed_for=self.signed_for)

    @property
    def large(self) -> str:
        return pictures.url(name=self.name, size="large", signed_for=self.signed_for)

    @property
    def small_width(self) -> int:
        """Of the small file."""
        return pictures.fitted(width=self.width, height=self.height, side=pictures.SMALL)[0]


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its viewer sees it. ``entry`` is the cursor: the post's id, or that of its share.
    ``is_held``: only its author sees it until moderators have. ``folded_by``: filters of the viewer that
    have it behind a warning. ``entities``: as in ``Post``. ``kind``, ``details`` and the people
    ``named`` in it: ``activities``. ``via``: the kind of what brought it, ``by_tag``
    the hashtag, "" if nothing did. ``names``: as in ``rendering.to_html``."""

    id: int
    entry: int
    author: UserCard
    kind: str
    details: Details
    named: tuple[UserCard, ...]
    via: str
    by_tag: str
    text: str
    warning: str
    is_held: bool
    media: tuple[MediaView, ...]
    visibility: str
    created_at: datetime
    edited_at: datetime | None
    shared_by: UserCard | None
    is_own: bool
    is_shared: bool
    is_liked: bool
    is_kept: bool
    folded_by: tuple[Folding, ...]
    replies: str
    may_answer: bool
    likes: int
    shares: int
    comments: int
    entities: tuple[Details, ...]
    newest_likers: tuple[UserCard, ...]
    newest_comments: tuple[Excerpt, ...]
    names: Collection[str] = ()

    @property
    def is_folded(self) -> bool:
        return bool(self.folded_by)

    @property
    def url(self) -> str:
        return reverse("post", args=[self.author.username, self.id])

    @property
    def excerpt(self) -> str:
        """What stands for the post in a title or a quote: never what its author hides."""
        if said := self.warning or self.text or self.words:
            return said
        if self.media:
            return next((one.alt for one in self.media if one.alt), "") or _("Pictures")
        return str(activity(self.kind).title or activity(self.kind).label)

    @property
    def words(self) -> str:
        """What it says besides its text."""
        return activity(self.kind).words(self.details)

    @property
    def described(self) -> tuple[MediaView, ...]:
        return tuple(one for one in self.media if one.alt)

    @property
    def item(self) -> str:
        """What kind of thing is reviewed, in words."""
        return str(dict(Review.ITEMS).get(self.details.get("item", ""), ""))

    @property
    def item_url(self) -> str:
        """All reviews of what is reviewed."""
        about = next((one["value"] for one in activity(self.kind).entities(self.details)), "")
        return f"{reverse('reviews')}?{urlencode({'of': about})}"

    @property
    def template(self) -> str:
        return activity(self.kind).template

    @property
    def likes_url(self) -> str:
        return reverse("likers", args=[self.author.username, self.id])

    @property
    def others_who_like(self) -> int:
        """How many besides the one who is named."""
        return self.likes - 1

    @property
    def can_edit(self) -> bool:
        return self.is_own and activity(self.kind).is_written

    @property
    def can_share(self) -> bool:
        return self.visibility in SHAREABLE

    @property
    def by(self) -> UserCard:
        """Through whom it came."""
        return self.shared_by or self.author


@dataclass(frozen=True, slots=True)
class Run:
    """Entries of one person in a row; ``folded`` are those behind "N more".

    ``caught_up``: everything above this run is new since the last visit, and this is not.
    """

    by: UserCard
    posts: tuple[PostView, ...]
    folded: tuple[PostView, ...] = ()
    caught_up: bool = False


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Posts, newest first. ``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``; None
    where there is nothing that way. A short page is not the end: only ``older`` tells.

    ``reason``: why the timeline is empty, "follows_nobody" or "nobody_posted"; "" if it is not.
    ``being_built``: the reader was away, and entries are being collected; the page is right all the same.
    """

    posts: tuple[PostView, ...]
    older: str | None
    newer: str | None
    reason: str = ""
    being_built: bool = False

    @property
    def post_ids(self) -> str:
        """Return the ids of the posts with commas between them, for counting views without JavaScript."""
        return ",".join(str(post.id) for post in self.posts)

    def runs(self) -> Iterator[Run]:
        """For templates: the posts with long runs of one person folded."""
        return folded(self.posts)


@dataclass(frozen=True, slots=True)
class HomePage(TimelinePage):
    """``position``: up to here the reader has seen everything. ``unread``: how many entries are newer
    (on the first page only), ``unread_is_exact`` False if there are more than that. ``held``: entries
    kept ready. ``top``: the newest entry the reader has seen in this scroll, which becomes the position.
    ``has_unseen_below``: not everything older has been seen, as after a follow.
    """

    position: int | None = None
    unread: int | None = None
    unread_is_exact: bool = True
    held: int = 0
    top: int | None = None
    line_after: int | None = None
    has_unseen_below: bool = False

    def runs(self) -> Iterator[Run]:
        if self.line_after is None:
            return folded(self.posts)
        new = [one for one in self.posts if one.entry > self.line_after]
        seen = [one for one in self.posts if one.entry <= self.line_after]
        return _with_line(folded(new), folded(seen))


def folded(posts: Sequence[PostView]) -> Iterator[Run]:
    for _by, group in groupby(posts, key=lambda one: one.by.uid):
        run = tuple(group)
        cut = SHOWN_OF_RUN if len(run) >= FOLD_FROM else len(run)
        yield Run(by=run[0].by, posts=run[:cut], folded=run[cut:])


def _with_line(above: Iterator[Run], below: Iterator[Run]) -> Iterator[Run]:
    yield from above
    for number, run in enumerate(below):
        yield replace(run, caught_up=number == 0)


def post_views(*, shown: Sequence[Shown], seen: Seen) -> tuple[PostView, ...]:
    """Entries with their people's cards; those of people who are gone are left out."""
    known = cards(uids={uid for one in shown for uid in _uids(one)})
    names = people.usernames_among(names=dotted_names(one.post.text for one in shown))
    return tuple(
        PostView(
            id=one.post.id,
            entry=one.entry.id,
            author=known[one.post.author],
            kind=one.post.kind,
            details=one.post.details,
            named=tuple(
                known[uid]
                for uid in activity(one.post.kind).people(one.post.details)
                if uid in known
            ),
            by_tag=seen.came_by_tag(one.entry),
            via="" if one.entry is one.post else one.entry.kind,
            text=one.post.text,
            names=names,
            warning=one.post.warning or (_("Sensitive") if one.post.is_sensitive else ""),
            is_held=bool(one.post.hidden),
            media=_media(one.post, known[one.post.author]),
            visibility=one.post.visibility,
            created_at=one.post.created_at,
            edited_at=one.post.edited_at,
            shared_by=None if one.entry is one.post else known[one.entry.author],
            is_own=one.post.author == seen.viewer,
            is_shared=one.post.id in seen.marks.shared,
            is_liked=one.post.id in seen.marks.liked,
            folded_by=seen.folding(one.post),
            replies=one.post.replies,
            is_kept=one.post.id in seen.marks.kept,
            may_answer=seen.may_answer(one.post),
            likes=one.post.likes,
            shares=one.post.shares,
            comments=one.post.comments,
            entities=tuple(one.post.entities),
            newest_likers=tuple(
                known[uid]
                for uid in reversed(one.post.newest_likers)
                if uid in known and seen.hears(uid)
            ),
            newest_comments=tuple(
                Excerpt(id=said["id"], by=known[said["uid"]], text=said["text"])
                for said in one.post.newest_comments
                if said["uid"] in known and seen.hears(said["uid"])
            ),
        )
        for one in shown
        if one.entry.author in known and one.post.author in known
    )


def _media(post: PostRow, author: UserCard) -> tuple[MediaView, ...]:
    is_open = is_open_to_all(post.visibility, post.hidden, author)
    signed_for = None if is_open else post.id
    return tuple(MediaView(**picture, signed_for=signed_for) for picture in post.media)


def is_open_to_all(visibility: str, hidden: str, author: UserCard) -> bool:
    """Whether everybody may see the pictures of such a post."""
    return visibility in SHAREABLE and not hidden and not author.is_private


def _uids(one: Shown) -> set[int]:
    said = (comment["uid"] for comment in one.post.newest_comments)
    named = activity(one.post.kind).people(one.post.details)
    return {one.entry.author, one.post.author, *one.post.newest_likers, *said, *named}
