"""Forms to start a conversation."""

from typing import Any

from django import forms
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField
from accounts.selectors.profiles import get_card_or_404

from .text import IdempotentForm


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
