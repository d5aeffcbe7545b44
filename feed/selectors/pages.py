"""Turn posts into the objects that templates and the API show.

The user cards of a whole page are read together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import ClassVar
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.infra.paths import path_for
from accounts.user_cards import UserCard, cards_by_uid
from feed import picture_files
from feed.activities import Details, Review, activity_kind
from feed.post_content import Audience, PostContent
from feed.store.post_rows import PostRow
from feed.text.languages import language_in

from .filters import FilterMatch
from .link_cards import LinkCardView, link_card_view
from .polls import PollView, poll_view
from .quotes import QuoteView, quote_view, quoted_entries
from .visibility import SHAREABLE, VisibleEntries, VisibleEntry

COLLAPSE_FROM = 4
VISIBLE_IN_RUN = 2
"""Runs of at least ``COLLAPSE_FROM`` entries show only this many entries and collapse the others."""


@dataclass(frozen=True, slots=True)
class CommentExcerpt:
    """The beginning of a comment, shown below its post in lists of posts."""

    id: int
    by: UserCard
    text: str


@dataclass(frozen=True, slots=True)
class MediaView:
    """A picture or clip of a post.

    Attributes:
        width: width of the large file in pixels.
        height: height of the large file in pixels.
        name: name of the files, "" in the history of a post if the files are deleted.
        is_animated: True if the large file plays. The small file is then its first frame.
        focus: the point that stays visible when the picture is cropped, as in ``Picture.focus``.
        signature_scope: as in ``picture_files.picture_url``.
        kind: "image", "video" or "audio". The pictures of a video are its poster, audio has none.
        duration: in seconds, like ``frame_rate`` (frames per second) and ``bitrate`` (bits per second) only
            for clips.
        state: as in ``Picture.state``. Clips of posts are ready.
        error: why a failed clip was refused.
    """

    id: int
    name: str
    alt: str
    width: int
    height: int
    focus: Sequence[float] = ()
    is_animated: bool = False
    signature_scope: int | None = None
    kind: str = "image"
    duration: float = 0.0
    frame_rate: float = 0.0
    bitrate: int = 0
    state: str = "ready"
    error: str = ""

    @property
    def is_clip(self) -> bool:
        return self.kind != "image"

    @property
    def has_picture(self) -> bool:
        """True if there are a small and a large file."""
        return self.state == "ready" and self.kind != "audio" and not self.is_deleted

    @property
    def clip_url(self) -> str:
        return picture_files.clip_url(
            name=self.name, kind=self.kind, signature_scope=self.signature_scope
        )

    @property
    def is_deleted(self) -> bool:
        """True if the picture was removed from its post. It has no URLs then."""
        return not self.name

    @property
    def crop_class(self) -> str:
        """Return the classes that keep the focus visible when a list crops the picture."""
        if not self.focus:
            return ""
        x, y = self.focus
        return f"x{round(2 + 2 * x)} y{round(2 - 2 * y)}"

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
        """Return the width of the small file in pixels."""
        return picture_files.fitted_size(
            width=self.width, height=self.height, side=picture_files.SMALL_SIDE
        )[0]


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its viewer sees it.

    Attributes:
        entry_id: id of the entry, for cursors. If the entry is a share, this is the id of the share.
        kind: name of the activity kind (``activities``).
        details: data of the kind, as in ``Post.details``.
        featured_users: users whose names the kind shows (``Activity.named_uids``).
        source_kind: kind of the entry that led to the post, such as "share" or "comment", else "".
        source_tag: followed hashtag that added the post to the home timeline, else "".
        is_pending_review: True if only the author sees the post until a moderator approves it.
        filter_matches: the viewer's filters that collapse the post behind a warning.
        attributes: as in ``Post.attributes``.
        is_pinned: True if the viewer pinned the post, which is the viewer's own.
        is_muted: True if the viewer gets no notifications about the post.
        is_author_followed: True if the viewer follows the author. Lists do not show it.
        mentioned_users: users whom the text mentioned when it was published or edited.
        participants: the users who can read a direct post, the author first. Empty for other posts.
        poll: the poll of a post that asks a question, else None.
        quote: the quote of another post, None if there is none.
        link_card: the card of the first link, None if there is none or the post has pictures.
    """

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
    is_pinned: bool
    is_muted: bool
    filter_matches: tuple[FilterMatch, ...]
    reply_policy: str
    can_comment: bool
    quote_policy: str
    can_quote: bool
    likes: int
    shares: int
    comments: int
    quotes: int
    attributes: tuple[Details, ...]
    newest_likers: tuple[UserCard, ...]
    newest_comments: tuple[CommentExcerpt, ...]
    mentioned_users: tuple[UserCard, ...]
    participants: tuple[UserCard, ...]
    poll: PollView | None
    quote: QuoteView | None
    link_card: LinkCardView | None
    is_author_followed: bool = field(compare=False)

    def __hash__(self) -> int:
        """Hash what differs most often. Some of the other fields cannot be hashed."""
        return hash(
            (self.entry_id, self.likes, self.shares, self.comments, self.is_liked, self.is_own)
        )

    @property
    def content(self) -> PostContent:
        """Return what its author can edit."""
        return PostContent(
            text=self.text,
            content_warning=self.content_warning,
            language=self.language,
            kind=self.kind,
            details=self.details,
            picture_ids=tuple(picture.id for picture in self.media),
            quoted_id=self.quote.post_id if self.quote else 0,
            audience=Audience(
                visibility=self.visibility,
                reply_policy=self.reply_policy,
                quote_policy=self.quote_policy,
            ),
        )

    @property
    def has_expiring_urls(self) -> bool:
        """True if URLs of pictures contain a signature that expires."""
        quoted_media = self.quote.post.media if self.quote and self.quote.post else ()
        media = (*self.media, *quoted_media)
        return any(picture.signature_scope is not None for picture in media)

    @property
    def language(self) -> str:
        """Return the code of the language, such as "de", or "" if it is unknown."""
        return language_in(self.attributes)

    @property
    def mentioned_usernames(self) -> frozenset[str]:
        return frozenset(card.username for card in self.mentioned_users)

    @property
    def has_filter_warning(self) -> bool:
        return bool(self.filter_matches)

    @property
    def url(self) -> str:
        return path_for("post", self.author.username, self.id)

    @property
    def excerpt(self) -> str:
        """Return a text for titles and quotes. If there is a content warning, return only the warning."""
        if excerpt := self.content_warning or self.text or self.details_text:
            return excerpt
        if self.media:
            alt = next((picture.alt for picture in self.media if picture.alt), "")
            return alt or {"video": _("Video"), "audio": _("Audio")}.get(
                self.media[0].kind, _("Pictures")
            )
        return str(activity_kind(self.kind).singular_label or activity_kind(self.kind).plural_label)

    @property
    def details_text(self) -> str:
        """Return the text in ``details``, such as the title of a review, or "" if there is none."""
        return activity_kind(self.kind).extra_text(self.details)

    @property
    def clip(self) -> MediaView | None:
        """Return the video or audio file of the post. A post with one has no pictures."""
        return self.media[0] if self.media and self.media[0].is_clip else None

    @property
    def pictures_with_alt(self) -> tuple[MediaView, ...]:
        return tuple(picture for picture in self.media if picture.alt)

    @property
    def reviewed_item_label(self) -> str:
        """Return the translated category of the reviewed item, such as "Book"."""
        return str(dict(Review.ITEMS).get(self.details.get("item", ""), ""))

    @property
    def reviews_url(self) -> str:
        """Return the URL of the page with all reviews of the reviewed item."""
        item_value = next(
            (attribute["value"] for attribute in activity_kind(self.kind).attributes(self.details)),
            "",
        )
        return f"{reverse('reviews')}?{urlencode({'of': item_value})}"

    @property
    def template(self) -> str:
        return activity_kind(self.kind).template

    @property
    def likes_url(self) -> str:
        return path_for("post_likers", self.author.username, self.id)

    @property
    def quotes_url(self) -> str:
        return path_for("post_quotes", self.author.username, self.id)

    @property
    def quotes_own_post(self) -> bool:
        """True if this post shows a post of the viewer as a quote."""
        return self.quote is not None and self.quote.post is not None and self.quote.post.is_own

    @property
    def other_likes(self) -> int:
        """Return the number of likes without the like of the user whom the page shows by name."""
        return self.likes - 1

    @property
    def can_edit(self) -> bool:
        return self.is_own and activity_kind(self.kind).is_written

    @property
    def can_share(self) -> bool:
        return self.visibility in SHAREABLE

    @property
    def entry_author(self) -> UserCard:
        """Return the author of the entry: the user who shared the post or, without a share, its author."""
        return self.shared_by or self.author


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive entries by one user. Pages show ``collapsed_posts`` behind "N more".

    ``follows_new_posts`` is True for the first run of posts that the viewer has already seen. Pages draw
    a line above this run.
    """

    entry_author: UserCard
    posts: tuple[PostView, ...]
    collapsed_posts: tuple[PostView, ...] = ()
    follows_new_posts: bool = False


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A page of posts, newest first.

    Attributes:
        older_cursor: value of ``max_id`` for the next page. None only on the last page. Other pages may
            have fewer posts than requested, too.
        newer_cursor: value of ``min_id`` for the previous page. None on the first page.
        empty_reason: "follows_nobody" or "nobody_posted", "" if the timeline is not empty.
        is_backfilling: True while a worker builds the inbox of a returning viewer. The page is complete
            anyway.
        newest_seen_id: id of the newest entry that the viewer has seen while scrolling. The browser saves
            this id as the viewer's position.
    """

    posts: tuple[PostView, ...]
    older_cursor: str | None
    newer_cursor: str | None
    empty_reason: str = ""
    is_backfilling: bool = False
    newest_seen_id: int | None = None

    @property
    def post_ids(self) -> str:
        """Return comma-separated post ids, for counting views without JavaScript."""
        return ",".join(str(post.id) for post in self.posts)

    def runs(self) -> Iterator[Run]:
        """Return the posts as runs. Long runs by one user are partly collapsed."""
        return collapse_runs(self.posts)


@dataclass(frozen=True, slots=True)
class HomePage(TimelinePage):
    """A page of the home timeline.

    Attributes:
        position: id of the newest entry that the viewer has seen.
        unread_count: number of entries newer than ``position``. None except on the first page.
        is_unread_exact: False if there are more unread entries than ``unread_count``.
        inbox_size: number of entries in the viewer's inbox.
        caught_up_id: id of the newest entry that the viewer has already seen. Pages draw a line between
            newer entries and the entries up to this id. None if the page shows no line.
        has_unseen_below: True if the viewer has not seen all older entries, for example after a follow.
        has_followed_users: True if the viewer follows a user whose entries were examined. Otherwise the
            page does not say that the viewer is caught up.
        can_suggest: True on the first page, unless the viewer needs no suggestions of people.
        followed_tags: hashtags that the viewer follows.
    """

    position: int | None = None
    unread_count: int | None = None
    is_unread_exact: bool = True
    inbox_size: int = 0
    caught_up_id: int | None = None
    has_unseen_below: bool = False
    has_followed_users: bool = False
    can_suggest: bool = False
    followed_tags: tuple[str, ...] = ()

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
    """Return a ``PostView`` for each entry, without entries of suspended or deleted users."""
    quoted = quoted_entries(shown=shown, seen=seen)
    cards = cards_by_uid(uids={uid for entry in (*shown, *quoted.values()) for uid in _uids(entry)})
    quoted_views = _post_views(list(quoted.values()), replace(seen, related_posts=None), cards, {})
    return _post_views(shown, seen, cards, {view.id: view for view in quoted_views})


def _post_views(
    shown: Sequence[VisibleEntry],
    seen: VisibleEntries,
    cards: Mapping[int, UserCard],
    quoted_views: Mapping[int, PostView],
) -> tuple[PostView, ...]:
    return tuple(
        PostView(
            id=entry.post.id,
            entry_id=entry.entry.id,
            author=cards[entry.post.author],
            kind=entry.post.kind,
            details=entry.post.details,
            featured_users=tuple(
                cards[uid]
                for uid in activity_kind(entry.post.kind).named_uids(entry.post.details)
                if uid in cards
            ),
            source_tag=seen.source_tag(entry.entry),
            source_kind="" if entry.entry is entry.post else entry.entry.kind,
            text=entry.post.text,
            content_warning=entry.post.content_warning
            or (_("Sensitive") if entry.post.is_sensitive else ""),
            is_pending_review=bool(entry.post.hidden),
            media=_media(entry.post, cards[entry.post.author]),
            visibility=entry.post.visibility,
            created_at=entry.post.created_at,
            edited_at=entry.post.edited_at,
            shared_by=None if entry.entry is entry.post else cards[entry.entry.author],
            is_own=entry.post.author == seen.viewer,
            is_shared=entry.post.id in seen.interactions.shared,
            is_liked=entry.post.id in seen.interactions.liked,
            filter_matches=seen.matching_filters(entry.post),
            reply_policy=entry.post.reply_policy,
            is_bookmarked=entry.post.id in seen.interactions.bookmarked,
            is_pinned=entry.post.id in seen.interactions.pinned,
            is_muted=entry.post.id in seen.interactions.muted,
            can_comment=seen.can_comment(entry.post),
            quote_policy=entry.post.quote_policy,
            can_quote=seen.can_quote(entry.post),
            quotes=entry.post.quotes,
            likes=entry.post.likes,
            shares=entry.post.shares,
            comments=entry.post.comments,
            attributes=tuple(entry.post.attributes),
            mentioned_users=tuple(cards[uid] for uid in entry.post.mentioned_uids if uid in cards),
            participants=tuple(cards[uid] for uid in _participants(entry.post) if uid in cards),
            poll=_poll(entry.post, seen),
            quote=quote_view(post=entry.post, seen=seen, views=quoted_views),
            link_card=link_card_view(post=entry.post),
            is_author_followed=entry.post.author in seen.relationships.followed,
            newest_likers=tuple(
                cards[uid]
                for uid in reversed(entry.post.newest_likers)
                if uid in cards and seen.shows_user(uid)
            ),
            newest_comments=tuple(
                CommentExcerpt(id=comment["id"], by=cards[comment["uid"]], text=comment["text"])
                for comment in entry.post.newest_comments
                if comment["uid"] in cards and seen.shows_user(comment["uid"])
            ),
        )
        for entry in shown
        if entry.entry.author in cards and entry.post.author in cards
    )


def _poll(post: PostRow, seen: VisibleEntries) -> PollView | None:
    if not post.is_poll:
        return None
    return poll_view(
        details=post.details,
        is_own=post.author == seen.viewer,
        has_viewer=seen.viewer is not None,
        vote=seen.interactions.votes.get(post.id, 0),
    )


def _media(post: PostRow, author: UserCard) -> tuple[MediaView, ...]:
    is_open = has_public_pictures(post.visibility, post.hidden, author)
    signature_scope = None if is_open else post.id
    return tuple(MediaView(**picture, signature_scope=signature_scope) for picture in post.media)


def has_public_pictures(visibility: str, hidden: str, author: UserCard) -> bool:
    """Return whether anonymous visitors may see the pictures of a post with these properties."""
    return visibility in SHAREABLE and not hidden and not author.is_private


def _uids(shown: VisibleEntry) -> set[int]:
    post = shown.post
    commenters = (comment["uid"] for comment in post.newest_comments)
    named_uids = activity_kind(post.kind).named_uids(post.details)
    return {
        shown.entry.author,
        post.author,
        *post.newest_likers,
        *commenters,
        *named_uids,
        *post.mentioned_uids,
        *_participants(post),
    }


def _participants(post: PostRow) -> Iterable[int]:
    if post.visibility != "direct":
        return ()
    return dict.fromkeys([post.author, *post.recipients])
