"""The shapes that templates see, and how they are made from rows: one card look-up a page."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import ClassVar
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.selectors.profiles import active_usernames_among
from accounts.user_cards import UserCard, cards_by_uid
from feed import picture_files
from feed.activities import Details, Review, activity_kind
from feed.store.post_rows import PostRow
from feed.text.mentions import dotted_candidates

from .filters import FilterMatch
from .visibility import SHAREABLE, VisibleEntries, VisibleEntry

COLLAPSE_FROM = 4
VISIBLE_IN_RUN = 2
"""Of a run of so many entries by one person the first two are shown, the others folded."""


@dataclass(frozen=True, slots=True)
class CommentExcerpt:
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
    signature_scope: int | None = None

    @property
    def small_url(self) -> str:
        return picture_files.picture_url(
            name=self.name, size="small", signature_scope=self.signature_scope
        )

    @property
    def large_url(self) -> str:
        return picture_files.picture_url(
            name=self.name, size="large", signature_scope=self.signature_scope
        )

    @property
    def small_width(self) -> int:
        """Of the small file."""
        return picture_files.fitted_size(
            width=self.width, height=self.height, side=picture_files.SMALL_SIDE
        )[0]


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its viewer sees it. ``entry`` is the cursor: the post's id, or that of its share.
    ``is_held``: only its author sees it until moderators have. ``folded_by``: filters of the viewer that
    have it behind a warning. ``entities``: as in ``Post``. ``kind``, ``details`` and the people
    ``named`` in it: ``activities``. ``via``: the kind of what brought it, ``by_tag``
    the hashtag, "" if nothing did. ``names``: as in ``rendering.to_html``."""

    is_comment: ClassVar[bool] = False

    id: int
    entry_id: int
    author: UserCard
    kind: str
    details: Details
    featured_users: tuple[UserCard, ...]
    source_kind: str
    source_tag: str
    text: str
    content_warning: str
    is_pending_review: bool
    media: tuple[MediaView, ...]
    visibility: str
    created_at: datetime
    edited_at: datetime | None
    shared_by: UserCard | None
    is_own: bool
    is_shared: bool
    is_liked: bool
    is_bookmarked: bool
    filter_matches: tuple[FilterMatch, ...]
    reply_policy: str
    can_comment: bool
    likes: int
    shares: int
    comments: int
    attributes: tuple[Details, ...]
    newest_likers: tuple[UserCard, ...]
    newest_comments: tuple[CommentExcerpt, ...]
    dotted_usernames: Collection[str] = ()

    @property
    def has_filter_warning(self) -> bool:
        return bool(self.filter_matches)

    @property
    def url(self) -> str:
        return reverse("post", args=[self.author.username, self.id])

    @property
    def excerpt(self) -> str:
        """What stands for the post in a title or a quote: never what its author hides."""
        if said := self.content_warning or self.text or self.details_text:
            return said
        if self.media:
            return next((picture.alt for picture in self.media if picture.alt), "") or _("Pictures")
        return str(activity_kind(self.kind).singular_label or activity_kind(self.kind).plural_label)

    @property
    def details_text(self) -> str:
        """What it says besides its text."""
        return activity_kind(self.kind).extra_text(self.details)

    @property
    def pictures_with_alt(self) -> tuple[MediaView, ...]:
        return tuple(picture for picture in self.media if picture.alt)

    @property
    def reviewed_item_label(self) -> str:
        """What kind of thing is reviewed, in words."""
        return str(dict(Review.ITEMS).get(self.details.get("item", ""), ""))

    @property
    def reviews_url(self) -> str:
        """All reviews of what is reviewed."""
        about = next(
            (attribute["value"] for attribute in activity_kind(self.kind).attributes(self.details)),
            "",
        )
        return f"{reverse('reviews')}?{urlencode({'of': about})}"

    @property
    def template(self) -> str:
        return activity_kind(self.kind).template

    @property
    def likes_url(self) -> str:
        return reverse("post_likers", args=[self.author.username, self.id])

    @property
    def other_likes(self) -> int:
        """How many besides the one who is named."""
        return self.likes - 1

    @property
    def can_edit(self) -> bool:
        return self.is_own and activity_kind(self.kind).is_written

    @property
    def can_share(self) -> bool:
        return self.visibility in SHAREABLE

    @property
    def entry_author(self) -> UserCard:
        """Through whom it came."""
        return self.shared_by or self.author


@dataclass(frozen=True, slots=True)
class Run:
    """Entries of one person in a row; ``folded`` are those behind "N more".

    ``caught_up``: everything above this run is new since the last visit, and this is not.
    """

    entry_author: UserCard
    posts: tuple[PostView, ...]
    collapsed_posts: tuple[PostView, ...] = ()
    follows_new_posts: bool = False


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Posts, newest first. ``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``; None
    where there is nothing that way. A short page is not the end: only ``older`` tells.

    ``reason``: why the timeline is empty, "follows_nobody" or "nobody_posted"; "" if it is not.
    ``being_built``: the reader was away, and entries are being collected; the page is right all the same.
    """

    posts: tuple[PostView, ...]
    older_cursor: str | None
    newer_cursor: str | None
    empty_reason: str = ""
    is_backfilling: bool = False
    newest_seen_id: int | None = None

    @property
    def post_ids(self) -> str:
        """Return the ids of the posts with commas between them, for counting views without JavaScript."""
        return ",".join(str(post.id) for post in self.posts)

    def runs(self) -> Iterator[Run]:
        """For templates: the posts with long runs of one person folded."""
        return collapse_runs(self.posts)


@dataclass(frozen=True, slots=True)
class HomePage(TimelinePage):
    """``position``: up to here the reader has seen everything. ``unread``: how many entries are newer
    (on the first page only), ``unread_is_exact`` False if there are more than that. ``held``: entries
    kept ready. ``top``: the newest entry the reader has seen in this scroll, which becomes the position.
    ``has_unseen_below``: not everything older has been seen, as after a follow.
    """

    position: int | None = None
    unread_count: int | None = None
    is_unread_exact: bool = True
    inbox_size: int = 0
    caught_up_id: int | None = None
    has_unseen_below: bool = False

    def runs(self) -> Iterator[Run]:
        if self.caught_up_id is None:
            return collapse_runs(self.posts)
        new = [post for post in self.posts if post.entry_id > self.caught_up_id]
        seen = [post for post in self.posts if post.entry_id <= self.caught_up_id]
        return _with_line(collapse_runs(new), collapse_runs(seen))


def collapse_runs(posts: Sequence[PostView]) -> Iterator[Run]:
    for _by, group in groupby(posts, key=lambda post: post.entry_author.uid):
        run = tuple(group)
        cut = VISIBLE_IN_RUN if len(run) >= COLLAPSE_FROM else len(run)
        yield Run(entry_author=run[0].entry_author, posts=run[:cut], collapsed_posts=run[cut:])


def _with_line(above: Iterator[Run], below: Iterator[Run]) -> Iterator[Run]:
    yield from above
    for number, run in enumerate(below):
        yield replace(run, follows_new_posts=number == 0)


def post_views(*, shown: Sequence[VisibleEntry], seen: VisibleEntries) -> tuple[PostView, ...]:
    """Entries with their people's cards; those of people who are gone are left out."""
    known = cards_by_uid(uids={uid for one in shown for uid in _uids(one)})
    names = active_usernames_among(names=dotted_candidates(one.post.text for one in shown))
    return tuple(
        PostView(
            id=one.post.id,
            entry_id=one.entry.id,
            author=known[one.post.author],
            kind=one.post.kind,
            details=one.post.details,
            featured_users=tuple(
                known[uid]
                for uid in activity_kind(one.post.kind).named_uids(one.post.details)
                if uid in known
            ),
            source_tag=seen.came_by_tag(one.entry),
            source_kind="" if one.entry is one.post else one.entry.kind,
            text=one.post.text,
            dotted_usernames=names,
            content_warning=one.post.content_warning
            or (_("Sensitive") if one.post.is_sensitive else ""),
            is_pending_review=bool(one.post.hidden),
            media=_media(one.post, known[one.post.author]),
            visibility=one.post.visibility,
            created_at=one.post.created_at,
            edited_at=one.post.edited_at,
            shared_by=None if one.entry is one.post else known[one.entry.author],
            is_own=one.post.author == seen.viewer,
            is_shared=one.post.id in seen.interactions.shared,
            is_liked=one.post.id in seen.interactions.liked,
            filter_matches=seen.matching_filters(one.post),
            reply_policy=one.post.reply_policy,
            is_bookmarked=one.post.id in seen.interactions.bookmarked,
            can_comment=seen.can_comment(one.post),
            likes=one.post.likes,
            shares=one.post.shares,
            comments=one.post.comments,
            attributes=tuple(one.post.attributes),
            newest_likers=tuple(
                known[uid]
                for uid in reversed(one.post.newest_likers)
                if uid in known and seen.shows_user(uid)
            ),
            newest_comments=tuple(
                CommentExcerpt(id=comment["id"], by=known[comment["uid"]], text=comment["text"])
                for comment in one.post.newest_comments
                if comment["uid"] in known and seen.shows_user(comment["uid"])
            ),
        )
        for one in shown
        if one.entry.author in known and one.post.author in known
    )


def _media(post: PostRow, author: UserCard) -> tuple[MediaView, ...]:
    is_open = has_public_pictures(post.visibility, post.hidden, author)
    signed_for = None if is_open else post.id
    return tuple(MediaView(**picture, signature_scope=signed_for) for picture in post.media)


def has_public_pictures(visibility: str, hidden: str, author: UserCard) -> bool:
    """Whether everybody may see the pictures of such a post."""
    return visibility in SHAREABLE and not hidden and not author.is_private


def _uids(one: VisibleEntry) -> set[int]:
    said = (comment["uid"] for comment in one.post.newest_comments)
    named = activity_kind(one.post.kind).named_uids(one.post.details)
    return {one.entry.author, one.post.author, *one.post.newest_likers, *said, *named}
