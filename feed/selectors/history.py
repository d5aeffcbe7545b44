"""What a post said before: for everybody who may read it."""

from dataclasses import dataclass
from datetime import datetime

from feed.store import revisions
from feed.text.differing import Stretch, difference

from .pages import PostView

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Version:
    """The words from ``since`` on, and what has changed from the version before; ``changes`` is empty for
    the first."""

    text: str
    warning: str
    since: datetime
    changes: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The newest version first. ``older`` is a cursor for ``max_id``; None on the last page."""

    versions: tuple[Version, ...]
    older: str | None


def history_page(*, post: PostView, max_id: int | None = None) -> HistoryPage:
    """Whether the viewer may read the post is asked before, on the road to it: one command."""
    replaced = revisions.newest(post=post.id, limit=PAGE_SIZE + 1, below=max_id)
    # Each version lasts from when the one before it was replaced.
    texts = [(one.text, one.warning) for one in replaced]
    if max_id is None:
        texts.insert(0, (post.text, post.warning))
        moments = [one.until for one in replaced]
    else:
        moments = [one.until for one in replaced[1:]]
    more = len(replaced) > PAGE_SIZE
    if not more:
        moments.append(post.created_at)
    versions = [
        Version(
            text=text,
            warning=warning,
            since=since,
            changes=tuple(difference(old=texts[n + 1][0], new=text)) if n + 1 < len(texts) else (),
        )
        for n, ((text, warning), since) in enumerate(zip(texts, moments, strict=False))
    ]
    return HistoryPage(tuple(versions), str(replaced[PAGE_SIZE - 1].id) if more else None)
