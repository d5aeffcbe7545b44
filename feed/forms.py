"""What people may publish."""

import hashlib
import secrets
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import NameField, PlainTextField
from accounts.paging import id_in

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


class OnceForm(EditForm):
    """A form that makes one thing however often it is sent. Its ``key`` is drawn when it is shown; with
    other words in it, as after a step back in the browser, it is another thing."""

    key = forms.CharField(
        max_length=64, required=False, initial=secrets.token_urlsafe, widget=forms.HiddenInput
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("key"):
            said = "\n".join(f"{name}={value}" for name, value in sorted(cleaned.items()))
            cleaned["key"] = hashlib.sha256(said.encode()).hexdigest()
        return cleaned


class CommentForm(OnceForm):
    """``parent``: the comment that is answered; 0 for the post itself."""

    parent = forms.CharField(required=False, max_length=19, widget=forms.HiddenInput)

    def clean_parent(self) -> int:
        given = self.cleaned_data["parent"]
        parent = id_in(given) if given else 0
        if parent is None:
            raise forms.ValidationError(_("What you answer is not there any more."))
        return parent


class PostForm(OnceForm):
    visibility = forms.ChoiceField(
        label=_("Who may read it"),
        choices=Post.Visibility.choices,
        initial=Post.Visibility.PUBLIC,
        required=False,
    )

    replies = forms.ChoiceField(
        label=_("Who may comment"),
        choices=Post.Replies.choices,
        initial=Post.Replies.EVERYONE,
        required=False,
    )

    def clean_visibility(self) -> str:
        return self.cleaned_data["visibility"] or Post.Visibility.PUBLIC

    def clean_replies(self) -> str:
        return self.cleaned_data["replies"] or Post.Replies.EVERYONE


class SearchForm(forms.Form):
    q = NameField(
        label=_("Search"),
        max_length=100,
        required=False,
        widget=forms.TextInput(
            {"type": "search", "placeholder": _("Search"), "enterkeyhint": "search"}
        ),
        error_messages={"max_length": _("Please search for less: at most 100 characters.")},
    )
