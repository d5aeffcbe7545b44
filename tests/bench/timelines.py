"""Stage ``timelines``: first, deep and past-the-inbox pages, with each strategy on the same data.

The stage measures ``home_page``, without sessions, templates and the web server. User cards are loaded for
each page, because the cache is empty.
"""

from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.selectors.shown_posts import post_views
from feed.store import posts
from feed.timeline import selection
from feed.timeline.candidates import Candidates, HomeViewer
from feed.timeline.home import home_page, visible_candidates
from feed.timeline.strategies import STRATEGIES

from . import site_data
from .database import connection
from .progress import ProgressListener
from .site_data import SiteData
from .sizes import Sizes

PAGE_SIZE = 20
KINDS = ("first", "deep", "past")
DEFAULT_STRATEGY = "buckets"
ARRAY_DESIGN = "recipients_in_post"

Figures = dict[str, Any]
Page = tuple[int, str | None]
"""Number of posts, and the cursor of the next page, or None on the last page."""

ReadPage = Callable[[int, int | None], Page]


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``page_ms``, ``commands_per_page``, ``commands_per_page_of`` and ``scroll``.

    ``commands_per_page`` is for the default strategy. For ``scroll``, a viewer who follows many quiet users
    reads all pages past the inbox, one after another. Needs ``throwaway_database``.
    """
    site = site_data.build_site(sizes=sizes, progress=progress)
    commands = {name: count_commands(site, name) for name in (*STRATEGIES, ARRAY_DESIGN)}
    times = _times(site, sizes, progress)
    scrolls = _scrolls(site, progress)
    return {
        "commands_per_page": commands[DEFAULT_STRATEGY],
        "commands_per_page_of": commands,
        "page_ms": {
            name: {
                **{kind: percentiles(spent) for kind, spent in times[name].items()},
                "past": percentiles(scrolls[name]),
            }
            for name in times
        },
        "scroll": {
            "followed": sizes.followed,
            "pages": len(scrolls[DEFAULT_STRATEGY]),
            "ms": percentiles(scrolls[DEFAULT_STRATEGY]),
        },
    }


def count_commands(site: SiteData, name: str) -> dict[str, int]:
    viewer, read = site.viewers[0], _page_reader(name)
    cursors = {"first": None, "deep": deep_cursor(site, 1), "past": site.floor}
    return {kind: _count(name, read, viewer, cursors[kind]) for kind in KINDS}


def _count(name: str, read: ReadPage, viewer: int, cursor: int | None) -> int:
    """Return the number of database commands of a page.

    The profiler of the server counts the commands. It slows pages down, so times are measured separately.
    """
    use_strategy(name)
    read(viewer, cursor)  # the first visit writes the inbox, which is not counted
    user_cards.clear_cards()
    database = connection.database
    database.drop_collection("system.profile")
    use_strategy(name)
    database.command({"profile": 2})
    try:
        read(viewer, cursor)
    finally:
        database.command({"profile": 0})
    own = f"{database.name}.system.profile"
    entries = database["system.profile"].find({"ns": {"$ne": own}, "command.profile": None})
    return len(list(entries))


def _times(
    site: SiteData, sizes: Sizes, progress: ProgressListener
) -> dict[str, dict[str, list[float]]]:
    """Measure first and deep pages. Return ``{strategy: {"first": [ms], "deep": [ms]}}``.

    The strategies take turns page by page, so that other load on the machine affects all strategies.
    """
    names = [*STRATEGIES, ARRAY_DESIGN]
    results: dict[str, dict[str, list[float]]] = {name: {"first": [], "deep": []} for name in names}
    progress.start_step(label="Pages", total=sizes.page_samples)
    for number in range(sizes.page_samples):
        viewer = site.viewers[number % len(site.viewers)]
        names.append(names.pop(0))
        for name in names:
            for kind, cursor in (("first", None), ("deep", deep_cursor(site, number))):
                spent, _ = _timed(name, viewer, cursor)
                results[name][kind].append(spent)
        progress.step()
    return results


def _scrolls(site: SiteData, progress: ProgressListener) -> dict[str, list[float]]:
    """Read all pages from the floor to the oldest post. Return ``{strategy: [ms of each page]}``."""
    names = [*STRATEGIES, ARRAY_DESIGN]
    cursors: dict[str, int | None] = dict.fromkeys(names, site.floor)
    results: dict[str, list[float]] = {name: [] for name in names}
    progress.start_step(
        label="Past the inbox",
        total=sum(id_ < site.floor for id_ in site.post_ids) // PAGE_SIZE,
    )
    while any(cursor is not None for cursor in cursors.values()):
        names.append(names.pop(0))
        for name in names:
            if cursors[name] is not None:
                spent, (_, older) = _timed(name, site.viewers[0], cursors[name])
                results[name].append(spent)
                cursors[name] = None if older is None else int(older)
        progress.step()
    return results


def _timed(name: str, viewer: int, cursor: int | None) -> tuple[float, Page]:
    use_strategy(name)
    read = _page_reader(name)
    user_cards.clear_cards()
    began = perf_counter()
    page = read(viewer, cursor)
    return (perf_counter() - began) * 1000, page


def use_strategy(name: str) -> None:
    """Make the site read timelines with this strategy, and cache this selection in the process."""
    wanted = DEFAULT_STRATEGY if name == ARRAY_DESIGN else name
    switch = {"active": wanted, "written": [wanted], "source": wanted, "target": wanted}
    connection.database["strategy_switch"].replace_one(
        {"_id": "strategy"},
        {**switch, "step": "done", "last_owner": 0, "cutoff_id": 0},
        upsert=True,
    )
    selection.clear_cache()
    selection.used_strategies()


def _page_reader(name: str) -> ReadPage:
    return page_from_array if name == ARRAY_DESIGN else page_from_site


def page_from_site(viewer: int, cursor: int | None) -> Page:
    page = home_page(viewer=viewer, bounds=PageBounds(PAGE_SIZE, max_id=cursor))
    return len(page.posts), page.older_cursor


def page_from_array(viewer: int, cursor: int | None) -> Page:
    """Return a page of the home timeline, read from messages with an array of recipients."""
    home_viewer = HomeViewer(uid=viewer, with_followees=True)
    below = MAX_ID if cursor is None else cursor
    query = {"recipients": viewer, "_id": {"$lt": below}}
    messages = connection.database["bench_messages"].find(query, {"_id": 1})
    result = messages.hint([("recipients", 1), ("_id", -1)]).sort("_id", -1).limit(PAGE_SIZE + 1)
    ids = [message["_id"] for message in result]
    candidates = Candidates(ids, posts.by_ids(ids=ids) if ids else {}, has_more=False)
    seen = visible_candidates(home_viewer=home_viewer, candidates=candidates, limit=PAGE_SIZE)
    views = post_views(shown=seen.entries[:PAGE_SIZE], seen=seen)
    return len(views), str(ids[PAGE_SIZE - 1]) if len(ids) > PAGE_SIZE else None


def deep_cursor(site: SiteData, number: int) -> int:
    """Return a cursor above the floor but below the head. Different numbers return different cursors."""
    results = [id_ for id_ in site.post_ids if id_ > site.floor]
    return results[len(results) // 5 + number * 37 % (len(results) // 2)]


def percentiles(times: list[float]) -> dict[str, float]:
    """Return the 50th and the 99th percentile in milliseconds."""
    last = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return {"p50": round(median(times), 2), "p99": round(last, 2)}
