"""``manage.py erase_people``: erases everybody whose time of grace is over, as a task does every day."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from accounts.services.erasure import erase_user, users_to_erase


class Command(BaseCommand):
    help = (
        "Erase everybody who asked for it ERASE_AFTER_DAYS ago, with all they wrote and did. "
        "May be stopped at any time, and run again; the site may go on meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how many there are")

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        due = list(users_to_erase())
        if dry_run:
            self.stdout.write(f"{len(due):,} people are to be erased. Nothing was changed.")
            return
        erased = failed = 0
        try:
            with Progress(console=Console(stderr=True)) as progress:
                for uid in progress.track(due, description="People"):
                    try:
                        erased += erase_user(uid=uid)
                    except Exception as error:
                        failed += 1
                        self.stderr.write(f"Person {uid} could not be erased: {error}")
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted after {erased:,} people. Run it again to go on."
            ) from None
        self.stdout.write(f"{erased:,} people are erased.")
        if failed:
            raise CommandError(f"{failed:,} could not be erased. Run it again to try once more.")
