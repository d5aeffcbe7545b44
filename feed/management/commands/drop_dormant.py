"""``manage.py drop_dormant``: drop dormant inboxes now, like the daily job, with a progress bar."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track

from feed import tasks
from feed.timeline.store import count_dormant


class Command(BaseCommand):
    help = (
        "Drop the inboxes of users who have not visited for FEED_DORMANT_DAYS days. Their next visit "
        "rebuilds them. Safe to interrupt and repeat."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count dormant inboxes")

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        dormant_count = count_dormant(before=tasks.dormancy_cutoff())
        if dry_run:
            days = settings.FEED_DORMANT_DAYS
            self.stdout.write(
                f"Dry run: {dormant_count:,} inboxes without a visit for {days} days. None was dropped."
            )
            return
        dropped = 0
        batches = range(0, dormant_count, tasks.DROP_BATCH_SIZE)
        try:
            for _batch in track(batches, "Inboxes", console=Console(stderr=True)):
                dropped += tasks.drop_dormant_batch()
            while count := tasks.drop_dormant_batch():
                dropped += count
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted: {dropped:,} inboxes dropped. Run the command again to continue."
            ) from None
        self.stdout.write(f"{dropped:,} inboxes dropped.")
