"""The one road from the id of a status to what it is: a post, a share or a comment."""

from dataclasses import dataclass

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from feed.api.serializers.comments import serialize_comments
from feed.api.serializers.statuses import Status, serialize_post
from feed.selectors.comments import CommentView, visible_comment_by_id
from feed.selectors.lists import visible_post
from feed.selectors.pages import PostView


@dataclass(frozen=True, slots=True)
class FoundStatus:
    """A post, or with ``comment`` what was said to it."""

    post: PostView
    comment: CommentView | None = None

    @property
    def id(self) -> int:
        return self.comment.id if self.comment else self.post.id


def find_status(*, status_id: int, viewer: int | None) -> FoundStatus:
    """Raises Http404 for what is gone and for what the viewer may not read, alike."""
    try:
        return FoundStatus(visible_post(post_id=status_id, viewer=viewer))
    except Http404:
        post, comment = visible_comment_by_id(comment_id=status_id, viewer=viewer)
        return FoundStatus(post, comment)


def find_post(*, status_id: int, viewer: int | None) -> PostView:
    """As ``find``, where only a post will do. Raises NotAPost for a comment."""
    found = find_status(status_id=status_id, viewer=viewer)
    if found.comment is not None:
        raise NotAPost(_("This can be done with posts, not with comments."))
    return found.post


class NotSupported(Refused):
    """Mastodon has it, this site has not."""


class NotAPost(Refused):
    """It is a comment; the message is for the person."""


def serialize_status(*, found: FoundStatus, viewer: int | None) -> Status:
    if found.comment is None:
        return serialize_post(post=found.post, viewer=viewer)
    for one in serialize_comments(comments=[found.comment], post=found.post, viewer=viewer):
        return one
    raise Http404("No such comment.")


def reload_status(*, status_id: int, viewer: int | None) -> Status:
    """As it is now."""
    return serialize_status(found=find_status(status_id=status_id, viewer=viewer), viewer=viewer)
