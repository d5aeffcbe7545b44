"""Forms of the notifications page and of the notification settings."""

from collections.abc import Callable, Collection
from datetime import time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.infra.cursors import parse_id
from notifications.kinds import configurable_kinds, kinds
from notifications.push import allowed_endpoints, keys
from notifications.services.delivery import NEW_ACCOUNT, NOT_FOLLOWED, NOT_FOLLOWER
from notifications.store.preferences import (
    DAILY,
    NEVER,
    WEEKLY,
    WHEN_AWAY,
    MailPreferences,
)

MAX_IDS = 200


# Choices are computed for each form, because other modules may register kinds after this import.
def _configurable_choices() -> list[tuple[str, str | Promise]]:
    return [(kind.name, kind.label) for kind in configurable_kinds()]


class NotificationIdsForm(forms.Form):
    """Notification ids, separated by commas."""

    ids = forms.CharField(max_length=20 * MAX_IDS)

    def clean_ids(self) -> list[int]:
        parsed_ids = [parse_id(text) for text in self.cleaned_data["ids"].split(",")]
        ids = [parsed_id for parsed_id in parsed_ids if parsed_id is not None]
        if len(ids) < len(parsed_ids) or len(ids) > MAX_IDS:
            raise ValidationError(_("Something went wrong. Please try again."))
        return ids


class PreferencesForm(forms.Form):
    """The kinds that a user is notified about, and the classes of senders to filter."""

    on = forms.MultipleChoiceField(
        required=False,
        choices=lambda: [(kind.name, kind.label) for kind in kinds() if kind.can_be_disabled],
    )
    filters = forms.MultipleChoiceField(
        required=False,
        choices=[
            (NOT_FOLLOWED, _("People you do not follow")),
            (NOT_FOLLOWER, _("People who do not follow you")),
            (NEW_ACCOUNT, _("People who joined in the last 30 days")),
        ],
    )

    @staticmethod
    def other_kinds(names: Collection[str]) -> list[str]:
        """Return the names of the kinds that can be disabled, except these."""
        return [kind.name for kind in kinds() if kind.can_be_disabled and kind.name not in names]


class MailPreferencesForm(forms.Form):
    """Mail preferences. The cleaned quiet hours are minutes of the day or None."""

    mode = forms.ChoiceField(
        label=_("Email notifications"),
        choices=[
            (WHEN_AWAY, _("Shortly after something happens, if I am offline")),
            (DAILY, _("Once a day")),
            (WEEKLY, _("Once a week, on Mondays")),
            (NEVER, _("Never")),
        ],
    )
    mailed = forms.MultipleChoiceField(
        label=_("Email me about"), required=False, choices=_configurable_choices
    )
    quiet_from = forms.TimeField(
        label=_("Quiet hours from"),
        required=False,
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
    )
    quiet_until = forms.TimeField(
        label=_("Quiet hours until"),
        required=False,
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
        help_text=_(
            "Emails are sent after the quiet hours. Leave both fields empty to turn quiet "
            "hours off."
        ),
    )

    def __init__(self, *args: Any, choice: MailPreferences, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {
            "mode": choice.mode,
            "mailed": choice.configured_kinds,
            "quiet_from": _time_of_day(choice.quiet_from),
            "quiet_until": _time_of_day(choice.quiet_until),
        }

    def clean_quiet_from(self) -> int | None:
        return _minute_of_day(self.cleaned_data["quiet_from"])

    def clean_quiet_until(self) -> int | None:
        return _minute_of_day(self.cleaned_data["quiet_until"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            start, end = cleaned["quiet_from"], cleaned["quiet_until"]
            if (start is None) != (end is None):
                self.add_error("quiet_until", _("Enter both times, or leave both empty."))
            elif start is not None and start == end:
                self.add_error(
                    "quiet_until",
                    _("The two times are the same. To turn off emails, choose “Never”."),
                )
        return cleaned


class PushPreferencesForm(forms.Form):
    """The kinds to push to a user's devices."""

    pushed = forms.MultipleChoiceField(
        label=_("Notify my devices about"), required=False, choices=_configurable_choices
    )


class DeviceForm(forms.Form):
    """A push subscription as the browser sends it, fully validated."""

    endpoint = forms.CharField(max_length=allowed_endpoints.MAX_ENDPOINT_LENGTH)
    p256dh = forms.CharField(max_length=200)
    auth = forms.CharField(max_length=200)

    def clean_endpoint(self) -> str:
        endpoint = str(self.cleaned_data["endpoint"])
        if not allowed_endpoints.is_allowed_endpoint(endpoint=endpoint):
            raise ValidationError(
                _("This browser uses a push service that this site does not support.")
            )
        return endpoint

    def clean_p256dh(self) -> str:
        return self._clean_key("p256dh", keys.clean_public_key)

    def clean_auth(self) -> str:
        return self._clean_key("auth", keys.clean_auth_secret)

    def _clean_key(self, name: str, check: Callable[..., str]) -> str:
        try:
            return check(text=self.cleaned_data[name])
        except keys.InvalidKey as error:
            raise ValidationError(_("Something went wrong. Please try again.")) from error


def _minute_of_day(clock_time: time | None) -> int | None:
    return None if clock_time is None else clock_time.hour * 60 + clock_time.minute


def _time_of_day(minute: int | None) -> time | None:
    return None if minute is None else time(minute // 60, minute % 60)
