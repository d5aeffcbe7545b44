"""Makes the raw collections' indexes that are missing. ``migrate`` does so too, at its end."""

from typing import Any

from django.core.management.base import BaseCommand

import accounts.store
import feed.store


class Command(BaseCommand):
    help = "Make the indexes of the follow graph and the inboxes. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        accounts.store.prepare()
        feed.store.prepare()
        self.stdout.write("Collections and indexes are ready.")
