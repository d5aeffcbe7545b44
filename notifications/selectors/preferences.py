"""A user's notification preferences as readable values (names of kinds, clock times), for the export."""

from typing import Any

from notifications.kinds import kinds
from notifications.store import preferences
from notifications.store.preferences import KindPreferences


def exported_preferences(*, viewer: int) -> dict[str, Any]:
    """Return the preferences for the export. Runs one command."""
    user_preferences = preferences.get_preferences(recipient=viewer)
    mail = user_preferences.mail
    return {
        "enabled_kinds": [
            kind.name for kind in kinds() if kind.name not in user_preferences.disabled_kinds
        ],
        "filtered_senders": sorted(user_preferences.filters),
        "mail": {
            "mode": mail.mode,
            "enabled_kinds": _wanted_kinds(mail),
            "quiet_from": _clock_time(mail.quiet_from),
            "quiet_until": _clock_time(mail.quiet_until),
            "time_zone": mail.time_zone or None,
        },
        "devices": {"enabled_kinds": _wanted_kinds(user_preferences.push)},
    }


def _wanted_kinds(kind_preferences: KindPreferences) -> list[str]:
    return [kind.name for kind in kinds() if kind_preferences.wants(kind=kind)]


def _clock_time(minute: int | None) -> str | None:
    return None if minute is None else f"{minute // 60:02}:{minute % 60:02}"
