"""Read the versions of a post.

A recipient whom an edit added to a direct post sees only that version and later versions.

When an edit removes a picture, its files are deleted: people remove pictures because nobody should see them
any more. Earlier versions keep its description, like their text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import takewhile

from accounts.infra.store.connection import Document
from feed.models import Post
from feed.store import revisions
from feed.store.revisions import Revision
from feed.text.diff import DiffSegment, word_diff

from .pictures import MediaView
from .post_view import PostView

PAGE_SIZE = 20
MAX_VERSIONS = 1000


@dataclass(frozen=True)
class Version:
    """A version of a post. ``older_text`` is the text before it, None for the first version that is shown.

    ``details_lines`` are those of the kind, such as the choices of a poll.
    """

    text: str
    content_warning: str
    media: tuple[MediaView, ...]
    details_lines: list[str]
    written_at: datetime
    older_text: str | None

    @property
    def is_first(self) -> bool:
        return self.older_text is None

    @cached_property
    def changes(self) -> tuple[DiffSegment, ...]:
        """Return the differences from the version before, if there is one."""
        if self.older_text is None:
            return ()
        return tuple(word_diff(old=self.older_text, new=self.text))


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Versions, newest first. Callers pass ``older_cursor`` as ``max_id``. It is None on the last page."""

    versions: tuple[Version, ...]
    older_cursor: str | None


def history_page(*, post: PostView, viewer: int | None, max_id: int | None = None) -> HistoryPage:
    """Return a page of versions of a post. Costs one database command.

    Callers check that the viewer may read the post.
    """
    replaced = revisions.newest_revisions(post=post.id, limit=PAGE_SIZE + 1, below=max_id)
    versions, older = _versions(post, replaced, viewer), None
    if len(versions) > PAGE_SIZE + 1:
        versions.pop()  # it was read only for the text before the others
        older = str(replaced[PAGE_SIZE - 1].id)
    return HistoryPage(tuple(versions if max_id is None else versions[1:]), older)


def post_versions(*, post: PostView, viewer: int | None) -> list[Version]:
    """Return the newest ``MAX_VERSIONS`` versions, oldest first. Costs one database command."""
    replaced = revisions.newest_revisions(post=post.id, limit=MAX_VERSIONS)
    return _versions(post, replaced, viewer)[::-1]


def _versions(post: PostView, replaced: Sequence[Revision], viewer: int | None) -> list[Version]:
    """Return the post and those replaced versions that the viewer may read, newest first."""
    shown = {picture.id: picture for picture in post.media}
    media = post.media
    lines = post.activity.version_lines(post.row.details)
    contents = [(post.text, post.content_warning, media, lines)]
    for revision in takewhile(lambda version: _was_recipient(viewer, post, version), replaced):
        if revision.media is not None:
            media = tuple(_picture(entry, shown) for entry in revision.media)
        if revision.details:
            lines = post.activity.version_lines(revision.details)
        contents.append((revision.text, revision.content_warning, media, lines))
    # The store has only the time at which a version was replaced, when the next version was written.
    moments = [*(version.replaced_at for version in replaced), post.created_at]
    older_texts = [*(text for text, *_rest in contents[1:]), None]
    return [
        Version(*content, written_at, older_text)
        for content, written_at, older_text in zip(contents, moments, older_texts, strict=False)
    ]


def _picture(entry: Document, shown: Mapping[int, MediaView]) -> MediaView:
    """Return a picture of an earlier version, with the description that it had."""
    if (picture := shown.get(entry["id"])) is not None:
        return replace(picture, alt=entry["alt"])
    return MediaView(**entry, name="")


def _was_recipient(viewer: int | None, post: PostView, version: Revision) -> bool:
    """Return whether the viewer could read this version when it was current."""
    is_direct = post.visibility == Post.Visibility.DIRECT
    return not is_direct or post.is_own or viewer in version.recipients
