"""Read the versions of a post.

A recipient whom an edit added to a direct post sees only that version and later versions.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from feed.models import Post
from feed.store import revisions
from feed.store.revisions import Revision
from feed.text.diff import DiffSegment, word_diff

from .pages import PostView

PAGE_SIZE = 20
MAX_VERSIONS = 1000


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a post. ``changes`` are the differences from the version before, if there is one."""

    text: str
    content_warning: str
    written_at: datetime
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
    texts = [(version.text, version.content_warning) for version in visible_versions]
    if max_id is None:
        texts.insert(0, (post.text, post.content_warning))
        moments = [version.replaced_at for version in replaced]
    else:
        moments = [version.replaced_at for version in replaced[1:]]
    has_more = len(visible_versions) > PAGE_SIZE
    if not has_more:
        moments.append(post.created_at)
    versions = [
        Version(
            text=text,
            content_warning=warning,
            written_at=since,
            changes=tuple(word_diff(old=texts[n + 1][0], new=text)) if n + 1 < len(texts) else (),
        )
        for n, ((text, warning), since) in enumerate(zip(texts, moments, strict=False))
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
    texts = [
        (post.text, post.content_warning),
        *((version.text, version.content_warning) for version in visible_versions),
    ]
    moments = [*(version.replaced_at for version in replaced), post.created_at]
    return [
        Version(text=text, content_warning=warning, written_at=since, changes=())
        for (text, warning), since in zip(texts, moments, strict=False)
    ][::-1]


def _was_recipient(viewer: int | None, post: PostView, version: Revision) -> bool:
    """Return whether the viewer could read this version when it was current."""
    is_direct = post.visibility == Post.Visibility.DIRECT
    return not is_direct or post.is_own or viewer in version.recipients
