"""A post as its viewer sees it, for pages and apps. ``shown_posts`` builds it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar, Literal
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.infra.paths import path_for
from accounts.user_cards import UserCard
from feed.activities import Activity, Review, activity_kind
from feed.kinds import AnswerCard
from feed.post_content import Audience, PostContent, written_fields
from feed.store.post_rows import PostRow

from .filters import FilterMatch
from .pictures import LinkCardView, MediaView
from .visibility import SHAREABLE

QuoteState = Literal["accepted", "revoked", "deleted", "unauthorized", "muted_account"]
"""What became of a quote. "unauthorized" means that the viewer may not see the quoted post."""


@dataclass(frozen=True, slots=True)
class CommentExcerpt:
    """The beginning of a comment, shown below its post in lists of posts."""

    id: int
    by: UserCard
    text: str


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The quote in a post, for one viewer.

    Attributes:
        post: the quoted post. None if the state is not "accepted", and for a quote in a quoted post.
    """

    post_id: int
    state: QuoteState
    post: "PostView | None" = None


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its viewer sees it.

    Attributes:
        row: the post as it is stored, with what every viewer sees alike.
        entry_id: id of the entry, for cursors. If the entry is a share, this is the id of the share.
        featured_users: users whose names the kind shows (``Activity.named_uids``).
        source_kind: kind of the entry that led to the post, such as "share" or "comment", else "".
        source_tag: followed hashtag that added the post to the home timeline, else "".
        filter_matches: the viewer's filters that collapse the post behind a warning.
        is_muted: True if the viewer gets no notifications about the post.
        mentioned_users: users whom the text mentioned when it was published or edited.
        participants: the users who can read a direct post, the author first. Empty for other posts.
        link_card: the card of the first link, None if there is none or the post has pictures.
    """

    is_comment: ClassVar[bool] = False

    row: PostRow
    entry_id: int
    author: UserCard
    featured_users: tuple[UserCard, ...]
    source_kind: str
    source_tag: str
    content_warning: str
    is_pending_review: bool
    media: tuple[MediaView, ...]
    shared_by: UserCard | None
    is_own: bool
    is_shared: bool
    is_liked: bool
    is_bookmarked: bool
    is_pinned: bool
    is_muted: bool
    filter_matches: tuple[FilterMatch, ...]
    can_comment: bool
    can_quote: bool
    newest_likers: tuple[UserCard, ...]
    newest_comments: tuple[CommentExcerpt, ...]
    mentioned_users: tuple[UserCard, ...]
    participants: tuple[UserCard, ...]
    answer_card: AnswerCard | None
    quote: QuoteView | None
    link_card: LinkCardView | None
    is_author_followed: bool = field(compare=False)

    def __hash__(self) -> int:
        """Hash what differs most often. Some of the other fields cannot be hashed."""
        row = self.row
        return hash(
            (self.entry_id, row.likes, row.shares, row.comments, self.is_liked, self.is_own)
        )

    @property
    def id(self) -> int:
        return self.row.id

    @property
    def kind(self) -> str:
        """Return the name of the activity kind (``activities``)."""
        return self.row.kind

    @property
    def text(self) -> str:
        return self.row.text

    @property
    def visibility(self) -> str:
        return self.row.visibility

    @property
    def created_at(self) -> datetime:
        return self.row.created_at

    @property
    def edited_at(self) -> datetime | None:
        return self.row.edited_at

    def with_like(self, *, is_liked: bool, change: int) -> "PostView":
        """Return the post after the viewer's like was added or removed. ``change`` is 1, 0 or -1."""
        row = replace(self.row, likes=self.row.likes + change)
        return replace(self, row=row, is_liked=is_liked)

    @property
    def content(self) -> PostContent:
        """Return what its author can edit."""
        return PostContent(
            **written_fields(self.row) | {"content_warning": self.content_warning},
            language=self.language,
            kind=self.kind,
            details=self.row.details,
            picture_ids=tuple(picture.id for picture in self.media),
            quoted_id=self.quote.post_id if self.quote else 0,
            audience=Audience(
                visibility=self.visibility,
                reply_policy=self.row.reply_policy,
                quote_policy=self.row.quote_policy,
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
        return self.row.language

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
        return str(self.activity.singular_label or self.activity.plural_label)

    @property
    def details_text(self) -> str:
        """Return the text in ``details``, such as the title of a review, or "" if there is none."""
        return self.activity.extra_text(self.row.details)

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
        return str(dict(Review.ITEMS).get(self.row.details.get("item", ""), ""))

    @property
    def reviews_url(self) -> str:
        """Return the URL of the page with all reviews of the reviewed item."""
        item_value = next(
            (attribute["value"] for attribute in self.activity.attributes(self.row.details)),
            "",
        )
        return f"{reverse('reviews')}?{urlencode({'of': item_value})}"

    @property
    def activity(self) -> Activity:
        return activity_kind(self.kind)

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
        return self.row.likes - 1

    @property
    def can_edit(self) -> bool:
        return self.is_own and self.activity.is_written

    @property
    def can_share(self) -> bool:
        return self.visibility in SHAREABLE

    @property
    def entry_author(self) -> UserCard:
        """Return the author of the entry: the user who shared the post or, without a share, its author."""
        return self.shared_by or self.author
