"""Targets that the measured figures should reach."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    label: str
    measured: float
    minimum: float | None = None
    maximum: float | None = None

    @property
    def bound_text(self) -> str:
        return f">= {self.minimum:g}" if self.minimum is not None else f"<= {self.maximum:g}"

    @property
    def is_met(self) -> bool:
        if self.minimum is not None:
            return self.measured >= self.minimum
        return self.maximum is None or self.measured <= self.maximum


MIN_RATIOS = {
    "threads_to_one_thread": ("deliveries: buckets in threads / with one thread", 1.2),
    "buckets_to_bare": ("deliveries: buckets / bare", 0.8),
    "buckets_to_counted": ("deliveries: buckets / counted as published", 30.0),
    "buckets_to_counted_batched": ("deliveries: buckets / counted batched", 3.0),
    "buckets_to_fan_out_on_write_cold": (
        "beyond the cache: buckets / one document each",
        1.0,
    ),
}
MAX_COMMANDS = {"first": 6, "deep": 7}
MAX_PAST_PAGE_MS = 50.0
MAX_ADMIN_LIST_MS = 300.0
MAX_DISK_RATIO = 0.25
MAX_PUBLICATION_RATIO = 1.5
MIN_SHARE_OF_READY_MADE = 0.2
MAX_HOME_BYTES = 60_000
MAX_RELATIVE_COST = 2.0
MAX_COST_OF_MORE_POSTS = 1.2
MAX_COST_OF_TRANSLATION = 1.1


def measured_targets(*, figures: Figures) -> Iterator[Target]:
    """Yield the targets of the stages that were measured."""
    ratios = figures.get("ratios", {})
    for key, (label, minimum) in MIN_RATIOS.items():
        if key in ratios:
            yield Target(label, ratios[key], minimum=minimum)
    if sizes := figures.get("bytes_per_delivery"):
        share = sizes["buckets"] / sizes["fan_out_on_write"]
        yield Target("disk: buckets / one document each", share, maximum=MAX_DISK_RATIO)
    if commands := figures.get("commands_per_page"):
        for kind, maximum in MAX_COMMANDS.items():
            yield Target(f"commands of a {kind} page", commands[kind], maximum=maximum)
    if scroll := figures.get("scroll"):
        label = f"ms of a page past the inbox, {scroll['followed']:,} followed users"
        yield Target(label, scroll["ms"]["p50"], maximum=MAX_PAST_PAGE_MS)
    if lists := figures.get("admin"):
        slowest = max(row["most"] for row in lists["ms"].values())
        label = f"ms of the slowest list for moderators, {lists['posts']:,} posts"
        yield Target(label, slowest, maximum=MAX_ADMIN_LIST_MS)
    if responses := figures.get("pages", {}).get("responses"):
        yield from _page_targets(responses)
        if large_site := figures.get("large_site"):
            before, after = (
                site["home"]["cpu_ms"] for site in (responses, large_site["responses"])
            )
            label = f"CPU of home with {large_site['posts']:,} posts / with fewer"
            yield Target(label, after / before, maximum=MAX_COST_OF_MORE_POSTS)
    if posts := figures.get("pages", {}).get("publication"):
        for key, what in (("cpu_ratio", "CPU"), ("ms_ratio", "time")):
            label = f"{what} of a post to {posts['followers']} followers / to none"
            yield Target(label, posts[key], maximum=MAX_PUBLICATION_RATIO)


def _page_targets(responses: Figures) -> Iterator[Target]:
    home, app_home = responses["home"], responses["home, JSON"]
    for label, response, rival in (
        ("home: rate / ready-made for the viewer", home, "ready_made_for_viewer_per_second"),
        ("home, JSON: rate / ready-made without checks", app_home, "ready_made_per_second"),
    ):
        share = response["per_second"] / response[rival]
        yield Target(label, share, minimum=MIN_SHARE_OF_READY_MADE)
    yield Target("bytes of home", home["bytes"], maximum=MAX_HOME_BYTES)
    # Figures of an earlier run may lack this page.
    if translated := responses.get("home, translated"):
        cost = translated["cpu_ms"] / home["cpu_ms"]
        yield Target("CPU of home, translated / in English", cost, maximum=MAX_COST_OF_TRANSLATION)
    costs = relative_costs(responses=responses)
    dearest = max((name for name in responses if "JSON" not in name), key=lambda name: costs[name])
    label = f"CPU per item, home = 1: {dearest}"
    yield Target(label, costs[dearest], maximum=MAX_RELATIVE_COST)


def relative_costs(*, responses: Figures) -> dict[str, float]:
    """Return the CPU time per item of each page, relative to the home page."""
    costs = {
        name: response["cpu_ms"] / max(1, response["items"]) for name, response in responses.items()
    }
    return {name: cost / costs["home"] for name, cost in costs.items()}
