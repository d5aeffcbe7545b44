"""Base forms for text that people publish, and forms to start a conversation."""

import hashlib
import secrets
from typing import Any

from django import forms
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField, SingleLineField
from accounts.selectors.profiles import get_card_or_404
from feed.models import MAX_TEXT_LENGTH


class TextForm(forms.Form):
    text = PlainTextField(
        label=_("What is on your mind?"),
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        error_messages={
            "required": _("Enter some text."),
            "max_length": _(
                "This text is too long. It has %(show_value)d characters, and the limit is "
                "%(limit_value)d."
            ),
        },
    )


class IdempotentForm(TextForm):
    """A form that publishes only once, even if the browser sends it several times.

    Each shown form contains a random key. ``clean`` replaces the key with a hash of the key and the
    content. If a user goes back in the browser and changes the content, the hash differs and the form
    publishes again.
    """

    idempotency_key = forms.CharField(
        max_length=64, required=False, initial=secrets.token_urlsafe, widget=forms.HiddenInput
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("idempotency_key"):
            content = "\n".join(f"{name}={value}" for name, value in sorted(cleaned.items()))
            cleaned["idempotency_key"] = hashlib.sha256(content.encode()).hexdigest()
        return cleaned


class MessageForm(IdempotentForm):
    """Write the first message of a conversation. The text mentions its recipients."""


class RecipientForm(forms.Form):
    """Choose the user to whom ``sender`` writes. The cleaned value is the username."""

    to = SingleLineField(label=_("Username"), max_length=60)

    def __init__(self, *args: Any, sender: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sender = sender

    def clean_to(self) -> str:
        try:
            card = get_card_or_404(username=self.cleaned_data["to"].removeprefix("@"))
        except Http404:
            raise forms.ValidationError(
                _("There is no user with this name. Check the username.")
            ) from None
        if card.uid == self._sender:
            raise forms.ValidationError(_("You cannot send messages to yourself."))
        return card.username
