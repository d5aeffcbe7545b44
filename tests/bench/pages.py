"""What pages cost: first, deep and past the inbox, with each strategy, on the same people and posts.

Pages are those of ``selectors.home_page``, so sessions, templates and the web server are left out. Names
are looked up anew for each page.
"""

from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.selectors.pages import post_views
from feed.store import home_states, posts
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
"""How many posts, and the cursor of the next page."""

ReadPage = Callable[[int, int | None], Page]


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """``page_ms.<strategy>.<kind>``, ``commands_per_page`` (of the default strategy) and
    ``commands_per_page_of.<strategy>``, and ``scroll``: all pages past the inbox of somebody who follows
    very many quiet people, one after the other. Needs ``throwaway_database``.
    """
    existing = site_data.build_site(sizes=sizes, progress=progress)
    commands = {name: count_commands(existing, name) for name in (*STRATEGIES, ARRAY_DESIGN)}
    times = _times(existing, sizes, progress)
    scrolls = _scrolls(existing, progress)
    return {
        "commands_per_page": commands[DEFAULT_STRATEGY],
        "commands_per_page_of": commands,
        "page_ms": {
            name: {
                **{kind: percentiles(row) for kind, row in times[name].items()},
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


def count_commands(existing: SiteData, name: str) -> dict[str, int]:
    reader, read = existing.viewers[0], _reading(name)
    cursors = {"first": None, "deep": deep_cursor(existing, 1), "past": existing.floor}
    return {kind: _count(name, read, reader, cursors[kind]) for kind in KINDS}


def _count(name: str, read: ReadPage, reader: int, cursor: int | None) -> int:
    """Commands by the server's own log of this database. It is exact, but slows the page down."""
    use_strategy(name)
    read(reader, cursor)  # the first visit writes
    user_cards.clear_cards()
    database = connection.database
    database.drop_collection("system.profile")
    use_strategy(name)
    database.command({"profile": 2})
    try:
        read(reader, cursor)
    finally:
        database.command({"profile": 0})
    own = f"{database.name}.system.profile"
    entries = database["system.profile"].find({"ns": {"$ne": own}, "command.profile": None})
    return len(list(entries))


def _times(
    existing: SiteData, sizes: Sizes, watch: ProgressListener
) -> dict[str, dict[str, list[float]]]:
    """Milliseconds; the strategies take turns page by page."""
    names = [*STRATEGIES, ARRAY_DESIGN]
    results: dict[str, dict[str, list[float]]] = {name: {"first": [], "deep": []} for name in names}
    watch.start_step(label="Pages", total=sizes.page_samples)
    for number in range(sizes.page_samples):
        reader = existing.viewers[number % len(existing.viewers)]
        names.append(names.pop(0))
        for name in names:
            for kind, cursor in (("first", None), ("deep", deep_cursor(existing, number))):
                spent, _ = _timed(name, reader, cursor)
                results[name][kind].append(spent)
        watch.step()
    return results


def _scrolls(existing: SiteData, watch: ProgressListener) -> dict[str, list[float]]:
    """Milliseconds of all pages from the floor down to the first post ever."""
    names = [*STRATEGIES, ARRAY_DESIGN]
    cursors: dict[str, int | None] = dict.fromkeys(names, existing.floor)
    results: dict[str, list[float]] = {name: [] for name in names}
    watch.start_step(
        label="Past the inbox",
        total=sum(id_ < existing.floor for id_ in existing.post_ids) // PAGE_SIZE,
    )
    while any(cursor is not None for cursor in cursors.values()):
        names.append(names.pop(0))
        for name in names:
            if cursors[name] is not None:
                spent, (_, older) = _timed(name, existing.viewers[0], cursors[name])
                results[name].append(spent)
                cursors[name] = None if older is None else int(older)
        watch.step()
    return results


def _timed(name: str, reader: int, cursor: int | None) -> tuple[float, Page]:
    use_strategy(name)
    read = _reading(name)
    user_cards.clear_cards()
    began = perf_counter()
    page = read(reader, cursor)
    return (perf_counter() - began) * 1000, page


def use_strategy(name: str) -> None:
    """Let the site read this strategy from now on, and know it already."""
    wanted = DEFAULT_STRATEGY if name == ARRAY_DESIGN else name
    switch = {"active": wanted, "written": [wanted], "source": wanted, "target": wanted}
    connection.database["strategy_switch"].replace_one(
        {"_id": "strategy"},
        {**switch, "step": "done", "last_owner": 0, "cutoff_id": 0},
        upsert=True,
    )
    selection.clear_cache()
    selection.current_selection()


def _reading(name: str) -> ReadPage:
    return page_from_array if name == ARRAY_DESIGN else page_from_site


def page_from_site(reader: int, cursor: int | None) -> Page:
    page = home_page(viewer=reader, bounds=PageBounds(limit=PAGE_SIZE, max_id=cursor))
    return len(page.posts), page.older_cursor


def page_from_array(reader: int, cursor: int | None) -> Page:
    """The same page, from messages that name their recipients."""
    before = home_states.home_state(viewer=reader)
    below = MAX_ID if cursor is None else cursor
    named = {"recipients": reader, "_id": {"$lt": below}}
    messages = connection.database["bench_messages"].find(named, {"_id": 1})
    result = messages.hint([("recipients", 1), ("_id", -1)]).sort("_id", -1).limit(PAGE_SIZE + 1)
    ids = [message["_id"] for message in result]
    candidates = Candidates(ids, posts.by_ids(ids=ids) if ids else {}, has_more=False)
    me = HomeViewer(uid=reader, state=before)
    seen = visible_candidates(reader=me, candidates=candidates, limit=PAGE_SIZE)
    views = post_views(shown=seen.entries[:PAGE_SIZE], seen=seen)
    return len(views), str(ids[PAGE_SIZE - 1]) if len(ids) > PAGE_SIZE else None


def deep_cursor(existing: SiteData, number: int) -> int:
    """A cursor within the inbox, beyond its open bucket: each time another one."""
    results = [id_ for id_ in existing.post_ids if id_ > existing.floor]
    return results[len(results) // 5 + number * 37 % (len(results) // 2)]


def percentiles(times: list[float]) -> dict[str, float]:
    """``p50`` and ``p99``."""
    last = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return {"p50": round(median(times), 2), "p99": round(last, 2)}
