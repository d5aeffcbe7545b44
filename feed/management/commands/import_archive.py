"""``manage.py import_archive NAME FILE``: brings an archive in, also one that is too large for the page.

Killed at any moment and started again, it goes on: what is there already is not made twice.
"""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from accounts.infra.ids import new_id
from accounts.models import User
from feed.archive import importer
from feed.archive.contents import check_archive, predict_counts
from feed.archive.importer import ImportJob
from feed.archive.source import BadArchive, open_source


class Command(BaseCommand):
    help = (
        "Bring an archive of this site or of Mastodon (.zip) into an account. Safe to repeat. Nobody is "
        "notified of the posts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="user name of who gets it")
        parser.add_argument("file", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="check and count, write nothing")

    def handle(self, *, name: str, file: Path, dry_run: bool, **_: Any) -> None:
        owner = User.objects.filter(username=name.lower(), is_active=True).first()
        if owner is None:
            raise CommandError(f"There is nobody called {name}.")
        try:
            with file.open("rb") as archive, open_source(file=archive) as source:
                now = timezone.now()
                found = check_archive(source=source, owner=owner, before=now)
                if dry_run:
                    counts = predict_counts(source=source, owner=owner, before=now) + found.skipped
                    counts += Counter(
                        names_to_follow=len(found.usernames), bookmarks=len(found.bookmark_ids)
                    )
                    self._say(counts)
                    self.stdout.write("A dry run: nothing was written.")
                    return
                self._bring(ImportJob(source, owner, now, import_id=new_id()), found)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
        except BadArchive as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to go on.") from None

    def _bring(self, one: ImportJob, found: Any) -> None:
        counts: Counter[str] = Counter()
        with Progress(console=Console(stderr=True)) as progress:
            bar = progress.add_task("Bringing in", total=found.total)

            def keep(done: int, so_far: Counter[str]) -> None:
                counts.clear()
                counts.update(so_far)
                progress.update(bar, completed=done)

            importer.import_contents(
                job=one,
                contents=found,
                steps_done=0,
                counts=Counter(found.counts),
                save_progress=keep,
            )
        self._say(counts)

    def _say(self, counts: Counter[str]) -> None:
        for name, number in counts.most_common():
            self.stdout.write(f"{number:>9,}  {name.replace('_', ' ')}")
