"""``manage.py export_archive NAME FILE``: write the same archive that a user can download on the site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from accounts.models import User
from socialsite.archive import exporter


class Command(BaseCommand):
    help = "Export everything a user has into a zip file of ActivityStreams and pictures."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="username")
        parser.add_argument("file", type=Path)

    def handle(self, *, name: str, file: Path, **_: Any) -> None:
        owner = User.objects.filter(username=name.lower()).first()
        if owner is None:
            raise CommandError(f"There is no user {name}.")
        unfinished = file.with_name(f"{file.name}.unfinished")
        try:
            with Progress(console=Console(stderr=True)) as progress, unfinished.open("xb") as out:
                bar = progress.add_task("Exporting", total=exporter.count_steps(uid=owner.pk))
                exporter.write_archive(
                    owner=owner, file=out, advance=lambda by: progress.advance(bar, by)
                )
            unfinished.replace(file)
        except FileExistsError:
            raise CommandError(f"{unfinished} already exists. Remove it first.") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error}") from error
        except KeyboardInterrupt:
            unfinished.unlink(missing_ok=True)
            raise CommandError("Interrupted. Nothing was written.") from None
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
