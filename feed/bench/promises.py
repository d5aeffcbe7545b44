"""What the figures are to be, and whether they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Promise:
    label: str
    measured: float
    least: float | None = None
    most: float | None = None

    @property
    def wanted(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    @property
    def is_kept(self) -> bool:
        if self.least is not None:
            return self.measured >= self.least
        return self.most is None or self.measured <= self.most


RATIOS = {
    "buckets_to_bare": ("deliveries: buckets / bare", 0.8),
    "buckets_to_counted": ("deliveries: buckets / counted as published", 30.0),
    "buckets_to_counted_batched": ("deliveries: buckets / counted, batched", 3.0),
    "buckets_to_fan_out_on_write_cold": (
        "beyond the cache: buckets / one document each",
        1.0,
    ),
}
COMMANDS = {"first": 9, "deep": 11}
PAST_MS = 50.0
ADMIN_MS = 300.0
SHARE_OF_DISK = 0.25


def promises(*, figures: Figures) -> Iterator[Promise]:
    """Those that can be told from what was measured."""
    ratios = figures.get("ratios", {})
    for key, (label, least) in RATIOS.items():
        if key in ratios:
            yield Promise(label, ratios[key], least=least)
    if each := figures.get("bytes_per_delivery"):
        share = each["buckets"] / each["fan_out_on_write"]
        yield Promise("disk: buckets / one document each", share, most=SHARE_OF_DISK)
    if commands := figures.get("commands_per_page"):
        for kind, most in COMMANDS.items():
            yield Promise(f"commands of a {kind} page", commands[kind], most=most)
    if scroll := figures.get("scroll"):
        label = f"ms of a page past the inbox, following {scroll['followed']:,}"
        yield Promise(label, scroll["ms"]["p50"], most=PAST_MS)
    if lists := figures.get("admin"):
        slowest = max(one["most"] for one in lists["ms"].values())
        label = f"ms of any list for moderators, with {lists['posts']:,} posts"
        yield Promise(label, slowest, most=ADMIN_MS)
