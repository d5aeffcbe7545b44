"""What people say to a post."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.infra.paging import parse_id

from .text import IdempotentForm


class CommentForm(IdempotentForm):
    """``parent``: the comment that is answered; 0 for the post itself."""

    parent = forms.CharField(required=False, max_length=19, widget=forms.HiddenInput)

    def clean_parent(self) -> int:
        given = self.cleaned_data["parent"]
        parent = parse_id(given) if given else 0
        if parent is None:
            raise forms.ValidationError(_("What you answer is not there any more."))
        return parent
