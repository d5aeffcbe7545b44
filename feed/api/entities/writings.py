"""Posts and comments in one list."""

from collections.abc import Sequence

from feed.selectors import CommentOnPost, PostView, Writing

from .comments import statuses_of_comments
from .statuses import Status, statuses_of


def statuses_of_writings(*, items: Sequence[Writing], viewer: int | None) -> list[Status]:
    """In their order: four commands, and four more where there are comments."""
    views = [one for one in items if isinstance(one, PostView)]
    said = [one for one in items if isinstance(one, CommentOnPost)]
    made = statuses_of(views=views, viewer=viewer) + statuses_of_comments(said=said, viewer=viewer)
    known = {one["id"]: one for one in made}
    ids = [str(one.entry if isinstance(one, PostView) else one.comment.id) for one in items]
    return [known[one] for one in ids if one in known]
