"""Who likes a post, the newest first, page by page."""

from accounts import selectors as people
from accounts.selectors import PeoplePage
from feed.store import likes


def likers_page(*, post: int, viewer: int | None, max_id: int | None = None) -> PeoplePage:
    """The cursor is a position among the likes, not an id. Whether the viewer may read the post is
    asked before, on the road to it."""
    found = likes.newest(post=post, limit=people.PAGE_SIZE + 1, below=max_id)
    shown = found[: people.PAGE_SIZE]
    return PeoplePage(
        people=people.people_rows(uids=[one.uid for one in shown], viewer=viewer),
        older=str(shown[-1].position) if len(found) > len(shown) else None,
        newer=None,
    )
