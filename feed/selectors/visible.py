"""Who may see what, decided on what is about to be shown and never when posts are delivered.

So following, blocking, muting and going private act at once on everything that is delivered already, and
undoing them brings it back. These rules are pure; whoever asks has read the ``Relations`` before.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accounts.selectors import Relations
from feed.activities import activity
from feed.models import Post
from feed.store.marks import Marks
from feed.store.rows import PostRow

from .filtering import Filtering, Folding

Visibility, Replies, Hidden = Post.Visibility, Post.Replies, Post.Hidden
SHAREABLE = (Visibility.PUBLIC, Visibility.UNLISTED)


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry that its viewer may see. ``post`` has the text; for a share it is not ``entry``."""

    entry: PostRow
    post: PostRow


@dataclass(frozen=True, slots=True)
class Seen:
    """What a viewer sees of a stretch of entries, and all that was asked to tell: their marks on the
    posts, and how they stand to the people ``asked`` for."""

    viewer: int | None
    shown: list[Shown]
    marks: Marks
    relations: Relations
    asked: Collection[int]
    filtering: Filtering | None = None
    tags: Collection[str] = ()

    def hears(self, uid: int) -> bool:
        """Whether to show the viewer what this person said to a post, or that they like it."""
        if uid == self.viewer:
            return True
        apart = (self.relations.blocks, self.relations.mutes, self.relations.gone)
        return uid in self.asked and not any(uid in some for some in apart)

    def came_by_tag(self, entry: PostRow) -> str:
        """The followed hashtag that brought a post of somebody whom the viewer does not follow."""
        if entry.author == self.viewer or entry.author in self.relations.follows:
            return ""
        return followed_tag(entry=entry, tags=self.tags)

    def folding(self, post: PostRow) -> tuple[Folding, ...]:
        """Which filters of theirs have the post behind a warning."""
        if self.filtering is None or post.author == self.viewer:
            return ()
        return self.filtering.folding(post)

    def may_answer(self, post: PostRow) -> bool:
        return may_answer(post=post, viewer=self.viewer, relations=self.relations)


def people_of(*, rows: Sequence[PostRow], targets: dict[int, PostRow], sampled: int) -> set[int]:
    """The authors of these entries, and who answered or likes the first ``sampled`` of their posts."""
    every = (*rows, *targets.values())
    uids = {one.author for one in every}
    uids.update(uid for one in every for uid in activity(one.kind).people(one.details))
    for row in rows[:sampled]:
        post = targets.get(row.share_of or 0, row)
        uids.update(post.newest_likers, (one["uid"] for one in post.newest_comments))
    return uids


def may_answer(*, post: PostRow, viewer: int | None, relations: Relations) -> bool:
    """Whether who may read the post may comment on it, as its author has chosen; of a visitor, whether
    everybody may."""
    if post.author == viewer or post.replies == Replies.EVERYONE:
        return True
    if post.replies == Replies.NOBODY or viewer is None:
        return False
    if post.replies == Replies.FOLLOWERS and post.author in relations.follows:
        return True
    return post.mentions(viewer)


def may_read(*, post: PostRow, viewer: int | None, relations: Relations) -> bool:
    """Whether this viewer (None: a visitor) may read the post, on whatever page."""
    if post.hidden and (post.hidden, post.author) != (Hidden.HELD, viewer):
        return False
    if post.author == viewer:
        return True
    if post.author in relations.blocks or post.author in relations.gone:
        return False
    if viewer is not None and viewer in post.recipients:
        return True
    if post.visibility == Visibility.DIRECT:
        return False
    if post.visibility == Visibility.FOLLOWERS or post.author in relations.private:
        return post.author in relations.follows
    return True


def readable(
    *, entry: PostRow, targets: dict[int, PostRow], viewer: int | None, relations: Relations
) -> Shown | None:
    """The entry with the text it brings, if the viewer may read both."""
    if not may_read(post=entry, viewer=viewer, relations=relations):
        return None
    if _names_somebody_apart(entry, relations):
        return None
    if entry.share_of is None:
        return Shown(entry, entry)
    target = targets.get(entry.share_of)
    if target is None or target.visibility not in SHAREABLE:
        return None
    if not may_read(post=target, viewer=viewer, relations=relations):
        return None
    return None if _names_somebody_apart(target, relations) else Shown(entry, target)


def _names_somebody_apart(post: PostRow, relations: Relations) -> bool:
    named = activity(post.kind).people(post.details)
    return any(uid in relations.blocks or uid in relations.gone for uid in named)


def followed_tag(*, entry: PostRow, tags: Collection[str]) -> str:
    """By which of these hashtags a post of a stranger comes into a home timeline; "" if by none."""
    if not tags or entry.visibility != Visibility.PUBLIC or entry.share_of is not None:
        return ""
    found = (one["value"] for one in entry.entities if one["kind"] == "hashtag")
    return next((str(tag) for tag in found if tag in tags), "")


def is_in_home(
    *, shown: Shown, reader: int, relations: Relations, tags: Collection[str] = ()
) -> bool:
    """Whether something readable belongs into this reader's home timeline."""
    author, writer = shown.entry.author, shown.post.author
    if followed_tag(entry=shown.entry, tags=tags):
        return author not in relations.mutes
    if not speaks_to(author=author, reader=reader, relations=relations):
        return False
    if shown.entry is shown.post:
        return True
    return writer not in relations.mutes and author not in relations.hides_shares


def speaks_to(*, author: int, reader: int, relations: Relations) -> bool:
    """Whether the reader wants to hear this author at home."""
    if author == reader:
        return True
    is_heard = author in relations.follows and author not in relations.mutes
    return is_heard and author not in relations.gone


def drop_repeated_shares(
    *,
    entries: Collection[Shown],
    earlier_shares: Collection[tuple[int, int]],
    viewer: int,
    relations: Relations,
    window: int,
) -> list[Shown]:
    """Drop shares of posts that already appeared in the viewer's timeline within ``window``.

    Only what did appear counts: a share that was dropped does not drop the next one.

    Args:
        entries: timeline entries, in any order.
        earlier_shares: ``(share_id, post_id)`` of every share of these posts that the viewer may see.
        window: a difference of time-ordered ids.

    Only older entries influence the result, so it does not change while the viewer pages.
    """
    share_ids: dict[int, set[int]] = defaultdict(set)
    for share_id, post_id in earlier_shares:
        share_ids[post_id].add(share_id)
    authors = {entry.post.id: entry.post.author for entry in entries}
    for entry in entries:
        if entry.entry is not entry.post:
            share_ids[entry.post.id].add(entry.entry.id)
    repeated: set[int] = set()
    for post_id, author in authors.items():
        is_at_home = speaks_to(author=author, reader=viewer, relations=relations)
        last_shown = post_id if is_at_home else None
        for share_id in sorted(share_ids[post_id]):
            if last_shown is not None and share_id - window < last_shown:
                repeated.add(share_id)
            else:
                last_shown = share_id
    return [entry for entry in entries if entry.entry.id not in repeated]
