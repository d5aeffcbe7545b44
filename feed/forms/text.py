"""Words that people publish, once however often the form is sent."""

import hashlib
import secrets
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField
from feed.models import MAX_TEXT_LENGTH


class TextForm(forms.Form):
    text = PlainTextField(
        label=_("What is on your mind?"),
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        error_messages={
            "required": _("Write something first."),
            "max_length": _("This is %(show_value)d characters long; at most %(limit_value)d fit."),
        },
    )


class IdempotentForm(TextForm):
    """A form that makes one thing however often it is sent. Its ``key`` is drawn when it is shown; with
    other words in it, as after a step back in the browser, it is another thing."""

    idempotency_key = forms.CharField(
        max_length=64, required=False, initial=secrets.token_urlsafe, widget=forms.HiddenInput
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("idempotency_key"):
            said = "\n".join(f"{name}={value}" for name, value in sorted(cleaned.items()))
            cleaned["idempotency_key"] = hashlib.sha256(said.encode()).hexdigest()
        return cleaned
