"""The part of the composer that saves a post for later."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from feed.store.drafts import Draft

DATETIME_FORMAT = "%Y-%m-%dT%H:%M"

_current_time_zone = lazy(timezone.get_current_timezone_name, str)
"""Return the name of the time zone of the viewer, evaluated when a page shows it."""


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
