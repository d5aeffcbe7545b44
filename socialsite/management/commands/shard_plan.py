"""``manage.py shard_plan``: simulate the costs of each shard key design, without a database.

``socialsite.sharding`` contains the simulation. ``docs/sharding.md`` explains the results.
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


def _int_between(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a type for ``argparse`` that accepts integers in a range."""

    def parse_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not minimum <= value <= maximum:
            raise ArgumentTypeError(f"must be from {minimum} to {maximum}")
        return value

    return parse_number


class Command(BaseCommand):
    help = "For each design, report how many shards reads and writes touch, and how evenly."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--shards", type=_int_between(1, MAX_SIZES["shards"]), required=True)
        parser.add_argument("--readers", type=_int_between(2, MAX_SIZES["readers"]), default=1000)
        parser.add_argument("--posts", type=_int_between(2, MAX_SIZES["posts"]), default=4000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--json", type=Path, metavar="FILE", help="write the results to this file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path | None = options["json"]
        if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
            raise CommandError(
                f"{file} cannot be written: its folder does not exist, or it is a folder."
            )
        figures = simulate(
            shards=options["shards"],
            users=options["readers"],
            posts=options["posts"],
            seed=options["seed"],
        )
        if file is not None:
            try:
                file.write_text(json.dumps(figures, indent=2) + "\n")
            except OSError as error:
                raise CommandError(f"{file} cannot be written: {error.strerror}.") from None
        console = Console()
        with console.capture() as output:
            console.print(plan_report(figures=figures))
        self.stdout.write(output.get())
