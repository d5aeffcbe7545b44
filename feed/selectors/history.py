"""Read the versions of a post.

A recipient whom an edit added to a direct post sees only that version and later versions.

When an edit removes a picture, its files are deleted: people remove pictures because nobody should see them
any more. Earlier versions keep its description, like their text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
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


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a post. ``changes`` are the differences from the version before, if there is one.

    ``choices`` are those of a poll.
    """

    text: str
    content_warning: str
    media: tuple[MediaView, ...]
    choices: tuple[str, ...]
    written_at: datetime
    is_first: bool
    changes: tuple[DiffSegment, ...]


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
    # The store has only the time at which a version was replaced, when the next version was written.
    visible_versions = list(
        takewhile(lambda version: _was_recipient(viewer, post, version), replaced)
    )
    contents = _contents(post, visible_versions)
    if max_id is None:
        moments = [version.replaced_at for version in replaced]
    else:
        contents = contents[1:]
        moments = [version.replaced_at for version in replaced[1:]]
    has_more = len(visible_versions) > PAGE_SIZE
    if not has_more:
        moments.append(post.created_at)
    versions = [
        Version(
            text=text,
            content_warning=warning,
            media=media,
            choices=choices,
            written_at=since,
            is_first=n + 1 == len(contents),
            changes=tuple(word_diff(old=contents[n + 1][0], new=text))
            if n + 1 < len(contents)
            else (),
        )
        for n, ((text, warning, media, choices), since) in enumerate(
            zip(contents, moments, strict=False)
        )
    ]
    return HistoryPage(tuple(versions), str(replaced[PAGE_SIZE - 1].id) if has_more else None)


def post_versions(*, post: PostView, viewer: int | None) -> list[Version]:
    """Return the newest ``MAX_VERSIONS`` versions, oldest first. Costs one database command.

    ``Version.changes`` stays empty, because the API does not show changes.
    """
    replaced = revisions.newest_revisions(post=post.id, limit=MAX_VERSIONS)
    visible_versions = list(
        takewhile(lambda version: _was_recipient(viewer, post, version), replaced)
    )
    contents = _contents(post, visible_versions)
    moments = [*(version.replaced_at for version in replaced), post.created_at]
    return [
        Version(
            text=text,
            content_warning=warning,
            media=media,
            choices=choices,
            written_at=since,
            is_first=n + 1 == len(contents),
            changes=(),
        )
        for n, ((text, warning, media, choices), since) in enumerate(
            zip(contents, moments, strict=False)
        )
    ][::-1]


def _contents(
    post: PostView, revisions: Sequence[Revision]
) -> list[tuple[str, str, tuple[MediaView, ...], tuple[str, ...]]]:
    """Return the text, warning, pictures and choices of the post and of these versions, newest first."""
    shown = {picture.id: picture for picture in post.media}
    media = post.media
    choices = tuple(choice.text for choice in post.poll.choices) if post.poll else ()
    contents = [(post.text, post.content_warning, media, choices)]
    for revision in revisions:
        if revision.media is not None:
            media = tuple(_picture(entry, shown) for entry in revision.media)
        if revision.choices is not None:
            choices = tuple(revision.choices)
        contents.append((revision.text, revision.content_warning, media, choices))
    return contents


def _picture(entry: Document, shown: Mapping[int, MediaView]) -> MediaView:
    """Return a picture of an earlier version, with the description that it had."""
    if (picture := shown.get(entry["id"])) is not None:
        return replace(picture, alt=entry["alt"])
    return MediaView(**entry, name="")


def _was_recipient(viewer: int | None, post: PostView, version: Revision) -> bool:
    """Return whether the viewer could read this version when it was current."""
    is_direct = post.visibility == Post.Visibility.DIRECT
    return not is_direct or post.is_own or viewer in version.recipients
