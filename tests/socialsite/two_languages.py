"""The settings of the site with a second language, to test that caches never mix languages."""

from socialsite.settings import *  # noqa: F403

LANGUAGES = [("en", "English"), ("de", "German")]
