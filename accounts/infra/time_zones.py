"""Names of time zones (IANA) that users and browsers may choose."""

from functools import cache
from zoneinfo import available_timezones

TIME_ZONE_COOKIE = "time_zone"
"""Name of the cookie with the browser's time zone. The script of the site (``site.js``) sets it."""

LOCAL_FILES = frozenset({"Factory", "localtime", "posixrules"})
"""Files of the time zone database that depend on the server and name no place."""


@cache
def time_zone_names() -> tuple[str, ...]:
    """Return the time zones that users can choose: names of places, such as "Europe/Berlin", and "UTC"."""
    names = _known_names()
    return (*sorted(name for name in names if "/" in name and not name.startswith("Etc/")), "UTC")


def clean_time_zone(name: str) -> str:
    """Return the name if it is a known time zone, else "".

    Browsers also send names that users cannot choose, such as "Etc/GMT+5".
    """
    return name if name in _known_names() else ""


@cache
def _known_names() -> frozenset[str]:
    return frozenset(available_timezones() - LOCAL_FILES)
