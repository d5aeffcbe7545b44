"""What a post said before: for everybody who may read it; but of a post to single people, for each only
since it was for them, too."""

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
    """The words from ``since`` on, and what has changed from the version before; ``changes`` is empty for
    the first."""

    text: str
    content_warning: str
    written_at: datetime
    changes: tuple[DiffSegment, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The newest version first. ``older`` is a cursor for ``max_id``; None on the last page."""

    versions: tuple[Version, ...]
    older_cursor: str | None


def history_page(*, post: PostView, viewer: int | None, max_id: int | None = None) -> HistoryPage:
    """Whether the viewer may read the post is asked before, on the road to it: one command."""
    replaced = revisions.newest_revisions(post=post.id, limit=PAGE_SIZE + 1, below=max_id)
    # Each version lasts from when the one before it was replaced.
    known = list(takewhile(lambda one: _was_for(viewer, post, one), replaced))
    texts = [(one.text, one.content_warning) for one in known]
    if max_id is None:
        texts.insert(0, (post.text, post.content_warning))
        moments = [one.replaced_at for one in replaced]
    else:
        moments = [one.replaced_at for one in replaced[1:]]
    more = len(known) > PAGE_SIZE
    if not more:
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
    return HistoryPage(tuple(versions), str(replaced[PAGE_SIZE - 1].id) if more else None)


def post_versions(*, post: PostView, viewer: int | None) -> list[Version]:
    """The newest ``MOST``, the first written first, without what has changed from one to the next: one
    command."""
    replaced = revisions.newest_revisions(post=post.id, limit=MAX_VERSIONS)
    known = list(takewhile(lambda one: _was_for(viewer, post, one), replaced))
    texts = [(post.text, post.content_warning), *((one.text, one.content_warning) for one in known)]
    moments = [*(one.replaced_at for one in replaced), post.created_at]
    return [
        Version(text=text, content_warning=warning, written_at=since, changes=())
        for (text, warning), since in zip(texts, moments, strict=False)
    ][::-1]


def _was_for(viewer: int | None, post: PostView, version: Revision) -> bool:
    """Recipients are only ever added."""
    is_direct = post.visibility == Post.Visibility.DIRECT
    return not is_direct or post.is_own or viewer in version.recipients
