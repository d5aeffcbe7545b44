"""``manage.py import_archive NAME FILE``: import an archive, even one too large to upload.

The command may be killed at any moment and run again. A second run imports nothing twice.
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
from socialsite.archive import importer
from socialsite.archive.contents import Contents, check_archive, predict_counts
from socialsite.archive.media import ImportJob
from socialsite.archive.source import BadArchive, open_source


class Command(BaseCommand):
    help = (
        "Import an archive of this site or of Mastodon (.zip) into an account. Safe to repeat. Nobody is "
        "notified of the posts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="username of the account")
        parser.add_argument("file", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="check and count, write nothing")

    def handle(self, *, name: str, file: Path, dry_run: bool, **_: Any) -> None:
        owner = User.objects.filter(username=name.lower(), is_active=True).first()
        if owner is None:
            raise CommandError(f"There is no user {name}.")
        try:
            with file.open("rb") as archive, open_source(file=archive) as source:
                now = timezone.now()
                contents = check_archive(source=source, owner=owner, before=now)
                if dry_run:
                    counts = predict_counts(source=source, owner=owner, before=now)
                    counts += contents.skipped
                    counts += Counter(
                        users_to_follow=len(contents.values["follows"]),
                        posts_to_bookmark=len(contents.values["bookmarks"]),
                    )
                    self._print_counts(counts)
                    self.stdout.write("Dry run: nothing was written.")
                    return
                self._import(ImportJob(source, owner, now, import_id=new_id()), contents)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
        except BadArchive as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to continue.") from None

    def _import(self, job: ImportJob, contents: Contents) -> None:
        counts: Counter[str] = Counter()
        with Progress(console=Console(stderr=True)) as progress:
            bar = progress.add_task("Importing", total=contents.total)

            def show_progress(done: int, new_counts: Counter[str]) -> None:
                counts.clear()
                counts.update(new_counts)
                progress.update(bar, completed=done)

            importer.import_contents(
                job=job,
                contents=contents,
                steps_done=0,
                counts=Counter(contents.skipped),
                save_progress=show_progress,
            )
        self._print_counts(counts)

    def _print_counts(self, counts: Counter[str]) -> None:
        for name, number in counts.most_common():
            self.stdout.write(f"{number:>9,}  {name.replace('_', ' ')}")
