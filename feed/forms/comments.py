"""The forms to write and edit a comment."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.infra.cursors import parse_id
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView

from .posts import ContentWarningField
from .text import IdempotentForm, LaterForm, TextForm

FOLLOWERS, DIRECT = Post.Visibility.FOLLOWERS.value, Post.Visibility.DIRECT.value
WARNING_HELP = _("People see only this text until they open the comment.")


class CommentForm(IdempotentForm):
    """Write a comment. ``parent`` is the id of the answered comment, 0 for a comment on the post.

    An empty ``visibility`` means the same readers as the answered comment or, without one, all readers of
    the post.
    """

    parent = forms.CharField(required=False, max_length=19, widget=forms.HiddenInput)
    content_warning = ContentWarningField(help_text=WARNING_HELP)
    visibility = forms.ChoiceField(label=_("Who can read this"), required=False)

    def __init__(
        self, *args: Any, post: PostView, parent: CommentView | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        visibility: Any = self.fields["visibility"]
        visibility.choices = _visibility_choices(post, parent.visibility if parent else "")

    def clean_parent(self) -> int:
        parent_text = self.cleaned_data["parent"]
        parent = parse_id(parent_text) if parent_text else 0
        if parent is None:
            raise forms.ValidationError(_("The comment you are replying to no longer exists."))
        return parent


class CommentEditForm(TextForm):
    content_warning = ContentWarningField(help_text=WARNING_HELP)


class ReplyDraftForm(CommentEditForm, LaterForm):
    """Edit the draft of a comment. A draft without a due time may be empty."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = not self.is_draft


def _visibility_choices(post: PostView, parent_visibility: str) -> list[tuple[str, Any]]:
    """Return the visibilities that ``services.comment_audience`` accepts for a comment."""
    choices: list[tuple[str, Any]] = [("", _("Everyone who can see the post"))]
    if parent_visibility == DIRECT:
        choices = [("", _("People in this exchange"))]
    elif parent_visibility == FOLLOWERS:
        choices = [("", _("My followers and people in this exchange"))]
    if post.visibility == DIRECT:
        return choices
    if parent_visibility != DIRECT and post.visibility != FOLLOWERS:
        choices.append((FOLLOWERS, _("My followers and people I mention")))
    return [*choices, (DIRECT, _("Only people I mention"))]
