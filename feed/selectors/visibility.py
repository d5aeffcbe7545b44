"""Visibility rules, which apply when a viewer reads posts, not when posts are delivered.

Therefore a follow, a block, a mute or a change to a private account affects delivered posts at once.
Undoing the change restores the posts. The rules are pure functions, so callers first read the
``Relationships``.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from accounts.selectors.relationships import Relationships
from accounts.user_cards import UserCard
from feed.activities import activity_kind
from feed.models import Post
from feed.store.comment_rows import Comment
from feed.store.interactions import Interactions
from feed.store.post_rows import PostRow

from .filters import ActiveFilters, FilterMatch

Visibility, ReplyPolicy, Hidden = Post.Visibility, Post.ReplyPolicy, Post.Hidden
QuotePolicy = Post.QuotePolicy
SHAREABLE = (Visibility.PUBLIC, Visibility.UNLISTED)


class HasAudience(Protocol):
    """A post, or what is known of a deleted one."""

    @property
    def author(self) -> int: ...
    @property
    def visibility(self) -> str: ...
    @property
    def recipients(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class VisibleEntry:
    """A visible entry of a timeline. ``post`` is ``entry`` itself or, for a share, the shared post."""

    entry: PostRow
    post: PostRow


@dataclass(frozen=True, slots=True)
class VisibleEntries:
    """The entries visible to a viewer, with the data that the visibility rules used.

    Attributes:
        relationships: relationships between the viewer and the users in ``checked_uids``.
        filters: the viewer's active filters, None if filters do not apply.
        followed_tags: hashtags that the viewer follows, on home timelines only.
        related_posts: the posts that the entries share or quote, by id (``store.posts.related_posts_of``).
            None if quoted posts were not read, so that pages show only a link to them.
    """

    viewer: int | None
    entries: list[VisibleEntry]
    interactions: Interactions
    relationships: Relationships
    checked_uids: Collection[int]
    filters: ActiveFilters | None = None
    followed_tags: Collection[str] = ()
    related_posts: Mapping[int, PostRow] | None = None

    def shows_user(self, uid: int) -> bool:
        """Return whether lists of posts show the viewer this user's comments and likes."""
        if uid == self.viewer:
            return True
        return uid in self.checked_uids and not (
            uid in self.relationships.blocked
            or uid in self.relationships.muted
            or uid in self.relationships.unavailable
        )

    def source_tag(self, entry: PostRow) -> str:
        """Return the followed hashtag that added the entry to the home timeline.

        Return "" for entries of followed users and of the viewer, which need no hashtag.
        """
        if entry.author == self.viewer or entry.author in self.relationships.followed:
            return ""
        return matching_tag(entry=entry, followed_tags=self.followed_tags)

    def matching_filters(self, post: PostRow) -> tuple[FilterMatch, ...]:
        """Return the viewer's filters that collapse the post."""
        if self.filters is None or post.author == self.viewer:
            return ()
        return self.filters.matches(post)

    def can_comment(self, post: PostRow) -> bool:
        return can_comment(post=post, viewer=self.viewer, relationships=self.relationships)

    def can_quote(self, post: PostRow) -> bool:
        return can_quote(post=post, viewer=self.viewer, relationships=self.relationships)


def involved_uids(
    *, rows: Sequence[PostRow], shared_posts: Mapping[int, PostRow], sample_size: int
) -> set[int]:
    """Return the uids of all users whose relationship with the viewer affects what ``rows`` show.

    These are the authors, the users named in the details, and the newest commenters and likers.

    Args:
        shared_posts: the posts that ``rows`` share or quote, by id.
        sample_size: number of first rows whose commenters and likers are included.
    """
    all_rows = (*rows, *shared_posts.values())
    uids = {row.author for row in all_rows}
    uids.update(uid for row in all_rows for uid in activity_kind(row.kind).named_uids(row.details))
    for row in rows[:sample_size]:
        post = shared_posts.get(row.share_of or 0, row)
        uids.update(post.newest_likers, (comment["uid"] for comment in post.newest_comments))
    return uids


def has_public_pictures(visibility: str, hidden: str, author: UserCard) -> bool:
    """Return whether anonymous visitors may see the pictures of a post with these properties."""
    return visibility in SHAREABLE and not hidden and not author.is_private


def can_comment(*, post: PostRow, viewer: int | None, relationships: Relationships) -> bool:
    """Return whether the reply policy of the post allows the viewer to comment."""
    if post.author == viewer or post.reply_policy == ReplyPolicy.EVERYONE:
        return True
    if post.reply_policy == ReplyPolicy.NOBODY or viewer is None:
        return False
    if post.reply_policy == ReplyPolicy.FOLLOWERS and post.author in relationships.followed:
        return True
    return viewer in post.mentioned_uids


def can_quote(*, post: PostRow, viewer: int | None, relationships: Relationships) -> bool:
    """Return whether the viewer, who may read the post, may quote it.

    Users other than the author may quote only public and unlisted posts, as far as the quote policy allows.
    """
    if viewer is None or post.hidden or post.visibility == Visibility.DIRECT:
        return False
    if post.author == viewer:
        return True
    if post.visibility not in SHAREABLE or post.quote_policy == QuotePolicy.NOBODY:
        return False
    is_follower = post.author in relationships.followed
    return is_follower or post.quote_policy == QuotePolicy.EVERYONE


def can_view(*, post: PostRow, viewer: int | None, relationships: Relationships) -> bool:
    """Return whether the viewer may read the post. All pages apply this rule."""
    if post.hidden and (post.hidden, post.author) != (Hidden.PENDING, viewer):
        return False
    return is_in_audience(post=post, viewer=viewer, relationships=relationships)


def is_in_audience(*, post: HasAudience, viewer: int | None, relationships: Relationships) -> bool:
    """Return whether the viewer may read the post unless moderators hide it."""
    if post.author == viewer:
        return True
    if post.author in relationships.blocked or post.author in relationships.unavailable:
        return False
    if viewer is not None and viewer in post.recipients:
        return True
    if post.visibility == Visibility.DIRECT:
        return False
    if post.visibility == Visibility.FOLLOWERS or post.author in relationships.private:
        return post.author in relationships.followed
    return True


def can_view_comment(*, comment: Comment, viewer: int | None, relationships: Relationships) -> bool:
    """Return whether a viewer who may read the post may also read a comment on it.

    ``relationships`` include those to the author of the comment.
    """
    if not comment.visibility or viewer in (comment.uid, *comment.recipients):
        return True
    return comment.visibility == Visibility.FOLLOWERS and comment.uid in relationships.followed


def visible_entry(
    *,
    entry: PostRow,
    shared_posts: dict[int, PostRow],
    viewer: int | None,
    relationships: Relationships,
) -> VisibleEntry | None:
    """Return a ``VisibleEntry`` if the viewer may read both the entry and its post, else None."""
    if not can_view(post=entry, viewer=viewer, relationships=relationships):
        return None
    if names_blocked_user(entry, relationships):
        return None
    if entry.share_of is None:
        return VisibleEntry(entry, entry)
    target = shared_posts.get(entry.share_of)
    if target is None or target.visibility not in SHAREABLE:
        return None
    if not can_view(post=target, viewer=viewer, relationships=relationships):
        return None
    return None if names_blocked_user(target, relationships) else VisibleEntry(entry, target)


def names_blocked_user(post: PostRow, relations: Relationships) -> bool:
    named = activity_kind(post.kind).named_uids(post.details)
    return any(uid in relations.blocked or uid in relations.unavailable for uid in named)


def matching_tag(*, entry: PostRow, followed_tags: Collection[str]) -> str:
    """Return a followed hashtag of a public post, "" if there is none or the entry is a share."""
    if not followed_tags or entry.visibility != Visibility.PUBLIC or entry.share_of is not None:
        return ""
    hashtags = (
        attribute["value"] for attribute in entry.attributes if attribute["kind"] == "hashtag"
    )
    return next((str(tag) for tag in hashtags if tag in followed_tags), "")


def is_entry_in_home(
    *,
    entry: VisibleEntry,
    viewer: int,
    relationships: Relationships,
    followed_tags: Collection[str] = (),
) -> bool:
    """Return whether an entry that is visible to the viewer also belongs in the viewer's home timeline."""
    sharer, author = entry.entry.author, entry.post.author
    if entry.entry.is_late_import:
        return False
    if matching_tag(entry=entry.entry, followed_tags=followed_tags):
        return sharer not in relationships.muted | relationships.hidden_from_home
    if entry.entry is entry.post:
        return is_author_in_home(
            author=author, viewer=viewer, relationships=relationships
        ) and has_followed_language(post=entry.post, relationships=relationships)
    if not is_author_in_home(author=sharer, viewer=viewer, relationships=relationships):
        return False
    return author not in relationships.muted and sharer not in relationships.shares_hidden


def has_followed_language(*, post: PostRow, relationships: Relationships) -> bool:
    """Return whether the viewer follows the author in the language of the post, or in all languages.

    True for posts without a language, such as shares.
    """
    languages = relationships.languages.get(post.author)
    return languages is None or not post.language or post.language in languages


def is_author_in_home(*, author: int, viewer: int, relationships: Relationships) -> bool:
    """Return whether the viewer's home timeline includes the posts of this author."""
    if author == viewer:
        return True
    return author in relationships.followed and not (
        author in relationships.muted
        or author in relationships.hidden_from_home
        or author in relationships.unavailable
    )


def hidden_authors(*, relationships: Relationships) -> frozenset[int]:
    """Return the users whose posts and shares the timeline of a list leaves out."""
    return (
        relationships.invisible
        | relationships.muted
        | (relationships.private - relationships.followed)
    )


def drop_repeated_shares(
    *,
    entries: Collection[VisibleEntry],
    earlier_shares: Collection[tuple[int, int]],
    viewer: int,
    relationships: Relationships,
    window: int,
    followed_tags: Collection[str] = (),
) -> list[VisibleEntry]:
    """Drop shares of posts that already appeared in the viewer's timeline within ``window``.

    A dropped share does not count as an appearance. A post with one of the ``followed_tags`` appears like
    a post of a followed user.

    Args:
        entries: timeline entries, in any order.
        earlier_shares: ``(share_id, post_id)`` of every share of these posts that the viewer may see.
        window: maximum distance, as a difference of time-ordered ids.

    Only older entries influence whether a share is dropped, so the result stays the same on every page.
    """
    share_ids: dict[int, set[int]] = defaultdict(set)
    for share_id, post_id in earlier_shares:
        share_ids[post_id].add(share_id)
    posts = {entry.post.id: entry.post for entry in entries}
    for entry in entries:
        if entry.entry is not entry.post:
            share_ids[entry.post.id].add(entry.entry.id)
    repeated: set[int] = set()
    for post_id, post in posts.items():
        is_at_home = is_entry_in_home(
            entry=VisibleEntry(post, post),
            viewer=viewer,
            relationships=relationships,
            followed_tags=followed_tags,
        )
        last_shown = post_id if is_at_home else None
        for share_id in sorted(share_ids[post_id]):
            if last_shown is not None and share_id - window < last_shown:
                repeated.add(share_id)
            else:
                last_shown = share_id
    return [entry for entry in entries if entry.entry.id not in repeated]
