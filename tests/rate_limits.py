"""The rate limits of the site, for servers of tests that run without them."""

import re

from socialsite.local.processes import ROOT


def rate_limit_variables() -> list[str]:
    """Return the names of the environment variables of all rate limits."""
    return re.findall(r'"(RATE_LIMIT_\w+)"', (ROOT / "socialsite" / "settings.py").read_text())
