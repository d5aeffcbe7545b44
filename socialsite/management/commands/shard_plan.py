"""What every design would cost a cluster of so many shards: a simulation, which asks no database.

What is simulated, and how: ``socialsite.sharding``. What to do with the figures: ``docs/sharding.md``.
"""

import json
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from socialsite.sharding.report import plan_report
from socialsite.sharding.simulation import simulate

MAX_SIZES = {"shards": 1000, "readers": 20_000, "posts": 100_000}


def _up_to(most: int, *, least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not least <= value <= most:
            raise ArgumentTypeError(f"must be from {least} to {most}")
        return value

    return number


class Command(BaseCommand):
    help = "Report the shards that reads and writes touch, and how evenly, for each design."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--shards", type=_up_to(MAX_SIZES["shards"], least=1), required=True)
        parser.add_argument("--readers", type=_up_to(MAX_SIZES["readers"], least=2), default=1000)
        parser.add_argument("--posts", type=_up_to(MAX_SIZES["posts"], least=2), default=4000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path | None = options["json"]
        if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
            raise CommandError(f"{file} cannot be written: no such folder, or a folder itself.")
        size = {name: options[name] for name in ("shards", "readers", "posts", "seed")}
        figures = simulate(**size)
        if file is not None:
            try:
                file.write_text(json.dumps(figures, indent=2) + "\n")
            except OSError as error:
                raise CommandError(f"{file} cannot be written: {error.strerror}.") from None
        console = Console()
        with console.capture() as shown:
            console.print(plan_report(figures=figures))
        self.stdout.write(shown.get())
