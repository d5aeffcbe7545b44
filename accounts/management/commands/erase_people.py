"""``manage.py erase_people``: erase all users whose grace period is over.

The daily task does the same. The command is for operators who do not want to wait for the task.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from accounts.services.erasure import erase_user, users_to_erase


class Command(BaseCommand):
    help = (
        "Erase all users who requested the deletion of their account more than ERASE_AFTER_DAYS days "
        "ago, with all their data. Safe to interrupt, to repeat, and to run while the site is up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count the users")

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        uids = list(users_to_erase())
        if dry_run:
            self.stdout.write(f"{len(uids):,} users are due for erasure. Nothing was changed.")
            return
        erased = failed = 0
        try:
            with Progress(console=Console(stderr=True)) as progress:
                for uid in progress.track(uids, description="Users"):
                    try:
                        erased += erase_user(uid=uid)
                    except Exception as error:
                        failed += 1
                        self.stderr.write(f"User {uid} could not be erased: {error}")
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted after {erased:,} users. Run the command again to continue."
            ) from None
        self.stdout.write(f"Erased {erased:,} users.")
        if failed:
            raise CommandError(
                f"{failed:,} users could not be erased. Run the command again to retry."
            )
