"""Describe a device by its ``User-Agent`` header, which clients can forge."""

from django.utils.translation import gettext as _

# The first match wins. The order matters, because user agents also contain the names of older browsers and
# of similar systems.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def describe_device(*, user_agent: str) -> str:
    """Return a description such as "Firefox on Linux"."""
    browser, system = _match_name(BROWSERS, user_agent), _match_name(SYSTEMS, user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown device")


def _match_name(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for token, name in names if token in user_agent), "")
