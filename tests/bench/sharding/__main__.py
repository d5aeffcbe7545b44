"""Simulate the costs of each shard key design: ``python -m tests.bench.sharding --shards 8``.

The simulation needs no database. ``docs/sharding.md`` explains the results.
"""

import json
import os
from argparse import ArgumentParser, ArgumentTypeError, FileType
from collections.abc import Callable, Sequence

import django
from rich.console import Console

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


def main(arguments: Sequence[str] | None = None) -> None:
    """Report for each design how many shards reads and writes touch, and how evenly."""
    parser = ArgumentParser(prog="python -m tests.bench.sharding", description=main.__doc__)
    parser.add_argument("--shards", type=_int_between(1, MAX_SIZES["shards"]), required=True)
    parser.add_argument("--readers", type=_int_between(2, MAX_SIZES["readers"]), default=1000)
    parser.add_argument("--posts", type=_int_between(2, MAX_SIZES["posts"]), default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=FileType("w"), metavar="FILE", help="write the results here")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    os.environ.setdefault("SECRET_KEY", "only-for-the-simulation")
    os.environ.setdefault("MONGODB_URI", "mongodb://127.0.0.1:1/?replicaSet=none")  # never used
    django.setup()
    from tests.bench.sharding.report import plan_report
    from tests.bench.sharding.simulation import simulate

    figures = simulate(
        shards=options.shards, users=options.readers, posts=options.posts, seed=options.seed
    )
    if options.json is not None:
        with options.json as file:
            file.write(json.dumps(figures, indent=2) + "\n")
    Console().print(plan_report(figures=figures))


if __name__ == "__main__":
    main()
