"""The history of the main ratios, so that a regression from one version to the next shows.

A CSV file has one row for each figure with a target (``targets``) of each recorded version.
"""

import csv
from collections.abc import Iterable
from pathlib import Path

from .targets import Target

COLUMNS = ("version", "figure", "measured")


def record(*, file: Path, version: str, targets: Iterable[Target]) -> None:
    """Store the measured figures of a version. Earlier figures of the same version are replaced."""
    figures = {(row["version"], row["figure"]): row["measured"] for row in _rows(file)}
    figures |= {(version, target.label): _text(target.measured) for target in targets}
    with file.open("w", newline="") as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*key, measured) for key, measured in figures.items())


def _text(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:.0f}"


def _rows(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(newline="") as rows:
        return list(csv.DictReader(rows))
