"""Decide who can read a new comment (decision 0026)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from accounts.models import User
from feed import attributes
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView

Visibility = Post.Visibility
RANKS = {"": 0, Visibility.FOLLOWERS.value: 1, Visibility.DIRECT.value: 2}
"""A higher rank means fewer readers."""


class CannotComment(Refused):
    """The comment is not allowed. The message is shown to the actor."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The readers of a comment, as in ``store.comment_rows.Comment``."""

    visibility: str = ""
    recipients: tuple[int, ...] = ()


def comment_audience(
    *, post: PostView, actor: User, text: str, visibility: str | None, parent: CommentView | None
) -> Audience:
    """Return who can read a new comment.

    Args:
        visibility: "" for everyone who can read the post, "followers" or "direct" for a limited comment.
            None to answer ``parent`` with the same visibility.

    Raises CannotComment if the comment would have more readers than ``parent``, or if a comment for
    mentioned people mentions nobody.
    """
    parent_visibility = parent.visibility if parent else ""
    inherits = visibility is None
    wanted = parent_visibility if visibility is None else _within_post(visibility, post)
    if RANKS[wanted] < RANKS[parent_visibility]:
        raise CannotComment(
            _(
                "More people would see this reply than the comment it answers. Choose the same people "
                "or fewer."
            )
        )
    if not wanted:
        return Audience()
    others = _participants(parent) if inherits and parent else []
    uids = [*others, *_known_uids(attributes.mentions_in_text(text=text), wanted)]
    recipients = tuple(uid for uid in dict.fromkeys(uids) if uid != actor.pk)
    if wanted == Visibility.DIRECT and not recipients:
        raise CannotComment(
            _("Mention at least one person, such as @%(name)s. Only they can read this comment.")
            % {"name": post.author.username}
        )
    return Audience(wanted, recipients)


def new_recipients(*, comment: CommentView, text: str) -> Sequence[int]:
    """Return the users whom an edit adds to the readers of a limited comment: those it newly mentions.

    Raises CannotComment for unknown usernames in a comment for mentioned people.
    """
    if not comment.visibility or comment.author is None:
        return ()
    known = {comment.author.uid, *comment.recipient_uids}
    mentions = attributes.mentions_added(text=text, old_text=comment.text)
    return [uid for uid in _known_uids(mentions, comment.visibility) if uid not in known]


def _within_post(visibility: str, post: PostView) -> str:
    """Return the visibility without what the post already demands.

    All participants of a direct post read all comments on it, and "followers" means the followers of the
    post's author on a post for followers.
    """
    if post.visibility == Visibility.DIRECT:
        return ""
    if post.visibility == Visibility.FOLLOWERS and visibility == Visibility.FOLLOWERS:
        return ""
    return visibility


def _participants(parent: CommentView) -> list[int]:
    return [*([parent.author.uid] if parent.author else ()), *parent.recipient_uids]


def _known_uids(mentions: Mapping[str, int | None], visibility: str) -> list[int]:
    uids = []
    for name, uid in mentions.items():
        if uid is not None:
            uids.append(uid)
        elif visibility == Visibility.DIRECT:
            raise CannotComment(
                _("There is no user @%(name)s on this site. Check the username.") % {"name": name}
            )
    return uids
