"""Find a status by its id. A status is a post, a share or a comment."""

from dataclasses import dataclass

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.plain_text import join_names
from accounts.infra.refusals import Refused
from accounts.user_cards import cards_by_uid
from feed import attributes
from feed.selectors.comment_views import CommentView, CommentWithPost
from feed.selectors.comments import visible_comment_by_id
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post

from .plumbing.endpoints import ApiRequest
from .serializers.comments import serialize_comments_on_posts
from .serializers.statuses import Status, serialize_post


@dataclass(frozen=True, slots=True)
class FoundStatus:
    """A post, or a comment with its post."""

    post: PostView
    comment: CommentView | None = None

    @property
    def id(self) -> int:
        return self.comment.id if self.comment else self.post.id


def find_status(*, status_id: int, viewer: int | None) -> FoundStatus:
    """Return the post, share or comment with this id.

    Raises Http404 both for missing statuses and for statuses that the viewer may not read.
    """
    try:
        return FoundStatus(visible_post(post_id=status_id, viewer=viewer))
    except Http404:
        post, comment = visible_comment_by_id(comment_id=status_id, viewer=viewer)
        return FoundStatus(post, comment)


def find_post(*, status_id: int, viewer: int | None) -> PostView:
    """Return the post or share. Raises Refused for a comment, and Http404 like ``find_status``."""
    status = find_status(status_id=status_id, viewer=viewer)
    if status.comment is not None:
        raise Refused(_("You can do this only with posts, not with comments."))
    return status.post


def serialize_status(*, status: FoundStatus, viewer: int | None) -> Status:
    if status.comment is None:
        return serialize_post(post=status.post)
    comments = [CommentWithPost(status.comment, status.post)]
    for serialized_status in serialize_comments_on_posts(comments=comments, viewer=viewer):
        return serialized_status
    raise Http404("No such comment.")


def reload_status(*, status_id: int, viewer: int | None) -> Status:
    """Read a status from the database after a change, and serialize the status."""
    return serialize_status(status=find_status(status_id=status_id, viewer=viewer), viewer=viewer)


def refuse_unexpected_readers(*, target: FoundStatus, request: ApiRequest) -> None:
    """Raise Refused if a reply mentions only some of its readers, while its author may expect only these.

    Participants read a message. Without ``visibility``, the readers of a direct comment read replies to it.
    A reply without mentions is for everybody. Costs at most two database commands.
    """
    readers, comment = target.post.participants, target.comment
    inherits = not request.inputs["visibility"]
    if inherits and comment and comment.author and comment.visibility == "direct":
        uids = [comment.author.uid, *comment.recipient_uids]
        readers = tuple(cards_by_uid(uids=uids).values())
    others = [card for card in readers if card.uid != request.uid]
    if len(others) < 2:
        return
    mentioned_uids = attributes.mentioned_uids(text=request.inputs["status"])
    unexpected = [card.username for card in others if card.uid not in mentioned_uids]
    if mentioned_uids and unexpected:
        raise Refused(
            _("%(names)s can also read this message. Mention everybody in it, or nobody.")
            % {"names": join_names(unexpected, prefix="@")}
        )
