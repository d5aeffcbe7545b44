"""The form to write a comment."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.infra.cursors import parse_id

from .text import IdempotentForm


class CommentForm(IdempotentForm):
    """Write a comment. ``parent`` is the id of the answered comment, 0 for a comment on the post."""

    parent = forms.CharField(required=False, max_length=19, widget=forms.HiddenInput)

    def clean_parent(self) -> int:
        parent_text = self.cleaned_data["parent"]
        parent = parse_id(parent_text) if parent_text else 0
        if parent is None:
            raise forms.ValidationError(_("The comment you are replying to no longer exists."))
        return parent
