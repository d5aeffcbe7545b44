"""What somebody says about their notifications."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.paging import id_in
from notifications.kinds import kinds
from notifications.services.telling import NEW, NOT_FOLLOWING, STRANGER

MOST_IDS = 200


class IdsForm(forms.Form):
    """Some of one's notifications: ``ids``, joined by commas."""

    ids = forms.CharField(max_length=20 * MOST_IDS)

    def clean_ids(self) -> list[int]:
        found = [id_in(one) for one in self.cleaned_data["ids"].split(",")]
        ids = [one for one in found if one is not None]
        if len(ids) < len(found) or len(ids) > MOST_IDS:
            raise ValidationError(_("That did not work. Please try again."))
        return ids


class ChoicesForm(forms.Form):
    """Of which kinds somebody is told, and by whom not at once."""

    on = forms.MultipleChoiceField(required=False)
    filters = forms.MultipleChoiceField(
        required=False,
        choices=[
            (STRANGER, _("people you do not follow")),
            (NOT_FOLLOWING, _("people who do not follow you")),
            (NEW, _("people who came in the last 30 days")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["on"] = forms.MultipleChoiceField(
            required=False, choices=[(one.name, one.label) for one in kinds() if one.can_be_off]
        )

    def off(self) -> list[str]:
        """The kinds of which they are not told."""
        on = self.cleaned_data["on"]
        return [one.name for one in kinds() if one.can_be_off and one.name not in on]
