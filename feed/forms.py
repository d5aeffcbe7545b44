"""What people may publish."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField

from .models import MAX_TEXT, Post


class EditForm(forms.Form):
    text = PlainTextField(
        label=_("What is on your mind?"),
        max_length=MAX_TEXT,
        widget=forms.Textarea({"rows": 3}),
        error_messages={
            "required": _("Write something first."),
            "max_length": _("This is %(show_value)d characters long; at most %(limit_value)d fit."),
        },
    )


class PostForm(EditForm):
    visibility = forms.ChoiceField(
        label=_("Who may read it"),
        choices=Post.Visibility.choices,
        initial=Post.Visibility.PUBLIC,
        required=False,
    )

    def clean_visibility(self) -> str:
        return self.cleaned_data["visibility"] or Post.Visibility.PUBLIC
