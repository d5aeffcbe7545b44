"""Base forms for text that people publish, now or later, and forms to start a conversation."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField, SingleLineField
from accounts.selectors.profiles import get_card_or_404
from feed.models import MAX_TEXT_LENGTH
from feed.store.drafts import Draft

DATETIME_FORMAT = "%Y-%m-%dT%H:%M"

_current_time_zone = lazy(timezone.get_current_timezone_name, str)
"""Return the name of the time zone of the viewer, evaluated when a page shows it."""


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


class PublishAtField(forms.DateTimeField):
    """When to publish a post, in the time zone of the viewer. None to publish at once.

    When clocks change, some local times do not exist, and others exist twice. Both are refused.
    """

    def __init__(self) -> None:
        widget = forms.DateTimeInput({"type": "datetime-local"}, format=DATETIME_FORMAT)
        zone = format_lazy(_("Time zone: {zone}"), zone=_current_time_zone())
        super().__init__(label=_("Publish at"), required=False, widget=widget, help_text=zone)
        self.error_messages["invalid"] = _("Enter a date and a time.")

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except ValidationError as error:
            if getattr(error, "code", None) == "ambiguous_timezone":
                message = _(
                    "The clocks change at this time. Choose a time an hour earlier or later."
                )
                raise ValidationError(message, code="ambiguous_timezone") from None
            raise
        except OverflowError:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None


class LaterForm(forms.Form):
    """Save the post as a draft, or schedule it, instead of publishing it at once.

    The button "Save draft" sends ``save=draft``, and "Schedule" sends ``save=schedule``. If a time is
    chosen, "Publish" schedules the post, too: Enter in a field presses that button.
    """

    publish_at = PublishAtField()
    due_at: datetime | None = None
    """The chosen time. None in a draft, and if the post is published at once."""

    def due_at_of(self, *, draft: Draft) -> datetime | None:
        """Return the due time of the changed draft, with the seconds that apps may choose.

        The field shows no seconds.
        """
        if draft.due_at and self.due_at == draft.due_at.replace(second=0, microsecond=0):
            return draft.due_at
        return self.due_at

    @property
    def is_draft(self) -> bool:
        """Return whether to save a draft without a due time. Such a draft may be incomplete."""
        return self._pressed_button == "draft"

    @property
    def _pressed_button(self) -> str:
        return str(self.data.get("save", ""))

    def clean_publish_at(self) -> datetime | None:
        due_at: datetime | None = self.cleaned_data["publish_at"]
        # A scheduled post is never published at once because somebody cleared the field.
        was_scheduled = self.initial.get("publish_at") is not None and not self.is_draft
        if due_at is None and (was_scheduled or self._pressed_button == "schedule"):
            raise ValidationError(_("Choose a date and a time."))
        self.due_at = None if self.is_draft else due_at
        return self.due_at


class RecipientForm(forms.Form):
    """Choose the user to whom ``sender`` writes. The cleaned value is the username."""

    to = SingleLineField(label=_("Username"), max_length=285)  # with the longest host

    def __init__(self, *args: Any, sender: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sender = sender

    def clean_to(self) -> str:
        try:
            card = get_card_or_404(username=self.cleaned_data["to"])
        except Http404:
            raise forms.ValidationError(
                _("There is no user with this name. Check the username.")
            ) from None
        if card.uid == self._sender:
            raise forms.ValidationError(_("You cannot send messages to yourself."))
        return card.username
