"""The settings of the site for tests of two processes with a shared cache.

A second language tests that caches never mix languages. Counts and cards of users are cached for a shorter
time, so that tests need not wait.
"""

from django.apps import AppConfig

from socialsite.settings import *  # noqa: F403
from socialsite.settings import INSTALLED_APPS

LANGUAGES = [("en", "English"), ("de", "German")]
COUNTS_SHARED_SECONDS, COUNTS_PROCESS_SECONDS = 1, 1.0
CARD_SECONDS = 0.5
INSTALLED_APPS = [*INSTALLED_APPS, f"{__name__}.ShortLivedCaches"]


class ShortLivedCaches(AppConfig):
    name = __package__
    label = "short_lived_caches"

    def ready(self) -> None:
        from accounts import user_cards
        from feed.selectors import user_counts

        user_cards.FRESH_SECONDS = CARD_SECONDS
        user_counts.SHARED_SECONDS = COUNTS_SHARED_SECONDS
        user_counts.PROCESS_SECONDS = COUNTS_PROCESS_SECONDS
