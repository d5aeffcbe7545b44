"""``manage.py drop_dormant``: what the daily job does, now and with progress."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track

from feed import tasks
from feed.timeline.store.dormant import count_dormant


class Command(BaseCommand):
    help = (
        "Drop the inboxes of readers who have not come for FEED_DORMANT_DAYS days; they are built anew "
        "when their readers come back. May be stopped at any time, and run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how many there are")

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        unseen = count_dormant(before=tasks.dormancy_cutoff())
        if dry_run:
            days = settings.FEED_DORMANT_DAYS
            self.stdout.write(
                f"{unseen:,} inboxes of readers who have not come for {days} days. None was dropped."
            )
            return
        dropped = 0
        batches = range(0, unseen, tasks.DROP_BATCH_SIZE)
        try:
            for _batch in track(batches, "Inboxes", console=Console(stderr=True)):
                dropped += tasks.drop_dormant_batch()
            while more := tasks.drop_dormant_batch():
                dropped += more
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted: {dropped:,} inboxes dropped. Run it again to go on."
            ) from None
        self.stdout.write(f"{dropped:,} inboxes dropped.")
