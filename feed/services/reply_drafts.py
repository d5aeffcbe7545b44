"""Check and publish the drafts of comments. ``services.drafts`` saves and schedules all drafts."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import content_by_id
from feed.store.drafts import Draft

from .comment_audience import comment_audience
from .comments import add_comment, refuse_unless_allowed
from .posts import CannotPublish
from .publication import OnInsert

LIMITED = (Post.Visibility.FOLLOWERS, Post.Visibility.DIRECT)


def reply_target(*, draft: Draft) -> tuple[PostView, CommentView | None]:
    """Return the post that the draft comments on, and the comment that it answers, if any.

    Raises CannotPublish if either was deleted, or if the author of the draft may no longer read it.
    """
    target_id = draft.reply_to_id
    content = content_by_id(ids=[target_id], viewer=draft.owner).get(target_id)
    if content is None:
        raise CannotPublish(_target_missing_message())
    if isinstance(content, PostView):
        return content, None
    return content.post, content.comment


def check_reply(*, draft: Draft) -> Sequence[int]:
    """Return the uids of those who would get the comment, () if it is not limited to some people.

    Raises CannotPublish or CannotComment if the comment could not be published now.
    """
    post, parent = _target_of_complete(draft)
    refuse_unless_allowed(post=post)
    return comment_audience(
        post=post,
        actor=User.objects.get(pk=draft.owner),
        text=draft.content.text,
        visibility=_visibility(draft),
        parent=parent,
    ).recipients


def publish_reply(*, draft: Draft, idempotency_key: str, on_insert: OnInsert) -> int:
    """Publish the comment and return its id. The arguments are those of ``comments.add_comment``.

    Raises CannotPublish like ``check_reply``, and the exceptions of ``add_comment`` except Http404.
    """
    post, parent = _target_of_complete(draft)
    try:
        return add_comment(
            post=post,
            actor=User.objects.get(pk=draft.owner),
            text=draft.content.text,
            parent=parent,
            content_warning=draft.content.content_warning,
            visibility=_visibility(draft),
            idempotency_key=idempotency_key,
            on_insert=on_insert,
        )
    except Http404:  # the post was deleted meanwhile
        raise CannotPublish(_target_missing_message()) from None


def _target_of_complete(draft: Draft) -> tuple[PostView, CommentView | None]:
    if not draft.content.text:
        raise CannotPublish(_("Enter some text."))
    return reply_target(draft=draft)


def _visibility(draft: Draft) -> str | None:
    """Return the visibility for ``comment_audience``."""
    if draft.keeps_audience:
        return None
    visibility = draft.content.audience.visibility
    return visibility if visibility in LIMITED else ""


def _target_missing_message() -> str:
    return _("The post or comment that you answer was deleted, or you can no longer read it.")
