"""What somebody has chosen to hear of, in words, for the archive that they take with them."""

from typing import Any

from notifications.kinds import kinds
from notifications.store import preferences
from notifications.store.preferences import KindPreferences


def exported_preferences(*, viewer: int) -> dict[str, Any]:
    """One command."""
    chosen = preferences.get_preferences(recipient=viewer)
    mail = chosen.mail
    return {
        "told_of": [one.name for one in kinds() if one.name not in chosen.disabled_kinds],
        "kept_apart": sorted(chosen.filters),
        "mail": {
            "when": mail.mode,
            "kinds": _wanted(mail),
            "quiet_from": _clock(mail.quiet_from),
            "quiet_until": _clock(mail.quiet_until),
            "time_zone": mail.time_zone or None,
        },
        "devices": {"kinds": _wanted(chosen.push)},
    }


def _wanted(choice: KindPreferences) -> list[str]:
    return [one.name for one in kinds() if choice.wants(kind=one)]


def _clock(minute: int | None) -> str | None:
    return None if minute is None else f"{minute // 60:02}:{minute % 60:02}"
