"""Deliveries per second of the default strategy, beside a bare loop and the published design.

Runs on the server of ``MONGODB_URI`` in a database of its own, and takes a minute or two. How it
measures: ``feed.bench``.
"""

import json
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from feed.bench.report import report
from feed.bench.run import run, steps
from feed.bench.throwaway import NotOurs, throwaway_database


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be 1 or more")
    return number


class Command(BaseCommand):
    help = "Measure deliveries per second, in a database of its own that is dropped afterwards."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
        parser.add_argument("--readers", type=_positive, default=1000)
        parser.add_argument("--posts", type=_positive, default=200, help="in each pair")
        parser.add_argument("--pairs", type=_positive, default=5)

    def handle(self, *args: Any, **options: Any) -> None:
        size = {name: options[name] for name in ("readers", "posts", "pairs")}
        file: Path | None = options["json"]
        if file is not None and not file.absolute().parent.is_dir():
            raise CommandError(f"There is no folder for {file}.")
        try:
            with throwaway_database(), Progress(console=Console(stderr=True)) as progress:
                task = progress.add_task("Delivering", total=steps(**size))
                figures = run(**size, step=lambda: progress.advance(task))
        except NotOurs as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. The bench's database is dropped.") from None
        if file is not None:
            file.write_text(json.dumps(figures, indent=2) + "\n")
        console = Console()
        with console.capture() as shown:
            console.print(report(figures=figures))
        self.stdout.write(shown.get())
