"""The settings of the site for tests of two processes with a shared cache.

A second language tests that caches never mix languages. Counts of users are cached for a tenth of the time.
"""

from django.apps import AppConfig

from socialsite.settings import *  # noqa: F403
from socialsite.settings import INSTALLED_APPS

LANGUAGES = [("en", "English"), ("de", "German")]
COUNTS_SHARED_SECONDS, COUNTS_PROCESS_SECONDS = 3, 3.0
INSTALLED_APPS = [*INSTALLED_APPS, f"{__name__}.ShortLivedCounts"]


class ShortLivedCounts(AppConfig):
    name = __package__
    label = "short_lived_counts"

    def ready(self) -> None:
        from feed.selectors import user_counts

        user_counts.SHARED_SECONDS = COUNTS_SHARED_SECONDS
        user_counts.PROCESS_SECONDS = COUNTS_PROCESS_SECONDS
