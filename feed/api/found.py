"""The one road from the id of a status to what it is: a post, a share or a comment."""

from dataclasses import dataclass

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.refusals import Refused
from feed import selectors
from feed.selectors import CommentView, PostView

from .entities import Status, comment_statuses, status_of


@dataclass(frozen=True, slots=True)
class Found:
    """A post, or with ``comment`` what was said to it."""

    post: PostView
    comment: CommentView | None = None

    @property
    def id(self) -> int:
        return self.comment.id if self.comment else self.post.id


def find(*, status_id: int, viewer: int | None) -> Found:
    """Raises Http404 for what is gone and for what the viewer may not read, alike."""
    try:
        return Found(selectors.post(post_id=status_id, viewer=viewer))
    except Http404:
        post, comment = selectors.comment_by_id(comment_id=status_id, viewer=viewer)
        return Found(post, comment)


def find_post(*, status_id: int, viewer: int | None) -> PostView:
    """As ``find``, where only a post will do. Raises NotAPost for a comment."""
    found = find(status_id=status_id, viewer=viewer)
    if found.comment is not None:
        raise NotAPost(_("This can be done with posts, not with comments."))
    return found.post


class NotHere(Refused):
    """Mastodon has it, this site has not."""


class NotAPost(Refused):
    """It is a comment; the message is for the person."""


def status_json(*, found: Found, viewer: int | None) -> Status:
    if found.comment is None:
        return status_of(view=found.post, viewer=viewer)
    for one in comment_statuses(comments=[found.comment], post=found.post, viewer=viewer):
        return one
    raise Http404("No such comment.")


def status_json_of(*, status_id: int, viewer: int | None) -> Status:
    """As it is now."""
    return status_json(found=find(status_id=status_id, viewer=viewer), viewer=viewer)
