"""What pages cost: first, deep and past the inbox, with each strategy, on the same people and posts.

Pages are those of ``selectors.home_page``, so sessions, templates and the web server are left out. Names
are looked up anew for each page.
"""

from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from accounts import user_cards
from accounts.ids import MAX_ID
from feed import selectors
from feed.selectors.candidates import Candidates, Reader
from feed.selectors.home import seen_by
from feed.selectors.pages import post_views
from feed.store import posts, reading
from feed.strategies import STRATEGIES, chosen

from . import site
from .site import Site
from .sizes import Sizes
from .throwaway import connection
from .watch import Watch

PAGE = 20
KINDS = ("first", "deep", "past")
DEFAULT = "buckets"
ARRAY = "recipients_in_post"

Figures = dict[str, Any]
Page = tuple[int, str | None]
"""How many posts, and the cursor of the next page."""

Read = Callable[[int, int | None], Page]


def measure(*, sizes: Sizes, watch: Watch) -> Figures:
    """``page_ms.<strategy>.<kind>``, ``commands_per_page`` (of the default strategy) and
    ``commands_per_page_of.<strategy>``, and ``scroll``: all pages past the inbox of somebody who follows
    very many quiet people, one after the other. Needs ``throwaway_database``.
    """
    there = site.build(sizes=sizes, watch=watch)
    commands = {name: _commands(there, name) for name in (*STRATEGIES, ARRAY)}
    times = _times(there, sizes, watch)
    scrolls = _scrolls(there, watch)
    return {
        "commands_per_page": commands[DEFAULT],
        "commands_per_page_of": commands,
        "page_ms": {
            name: {
                **{kind: spread(found) for kind, found in times[name].items()},
                "past": spread(scrolls[name]),
            }
            for name in times
        },
        "scroll": {
            "followed": sizes.followed,
            "pages": len(scrolls[DEFAULT]),
            "ms": spread(scrolls[DEFAULT]),
        },
    }


def _commands(there: Site, name: str) -> dict[str, int]:
    reader, read = there.readers[0], _reading(name)
    cursors = {"first": None, "deep": _deep(there, 1), "past": there.floor}
    return {kind: _count(name, read, reader, cursors[kind]) for kind in KINDS}


def _count(name: str, read: Read, reader: int, cursor: int | None) -> int:
    """Commands by the server's own log of this database. It is exact, but slows the page down."""
    _use(name)
    read(reader, cursor)  # the first visit writes
    user_cards.forget_all()
    database = connection.database
    database.drop_collection("system.profile")
    _use(name)
    database.command({"profile": 2})
    try:
        read(reader, cursor)
    finally:
        database.command({"profile": 0})
    own = f"{database.name}.system.profile"
    entries = database["system.profile"].find({"ns": {"$ne": own}, "command.profile": None})
    return len(list(entries))


def _times(there: Site, sizes: Sizes, watch: Watch) -> dict[str, dict[str, list[float]]]:
    """Milliseconds; the strategies take turns page by page."""
    names = [*STRATEGIES, ARRAY]
    found: dict[str, dict[str, list[float]]] = {name: {"first": [], "deep": []} for name in names}
    watch.begin(label="Pages", total=sizes.page_samples)
    for number in range(sizes.page_samples):
        reader = there.readers[number % len(there.readers)]
        names.append(names.pop(0))
        for name in names:
            for kind, cursor in (("first", None), ("deep", _deep(there, number))):
                spent, _ = _timed(name, reader, cursor)
                found[name][kind].append(spent)
        watch.step()
    return found


def _scrolls(there: Site, watch: Watch) -> dict[str, list[float]]:
    """Milliseconds of all pages from the floor down to the first post ever."""
    names = [*STRATEGIES, ARRAY]
    cursors: dict[str, int | None] = dict.fromkeys(names, there.floor)
    found: dict[str, list[float]] = {name: [] for name in names}
    watch.begin(label="Past the inbox", total=sum(one < there.floor for one in there.posts) // PAGE)
    while any(cursor is not None for cursor in cursors.values()):
        names.append(names.pop(0))
        for name in names:
            if cursors[name] is not None:
                spent, (_, older) = _timed(name, there.readers[0], cursors[name])
                found[name].append(spent)
                cursors[name] = None if older is None else int(older)
        watch.step()
    return found


def _timed(name: str, reader: int, cursor: int | None) -> tuple[float, Page]:
    _use(name)
    read = _reading(name)
    user_cards.forget_all()
    began = perf_counter()
    page = read(reader, cursor)
    return (perf_counter() - began) * 1000, page


def _use(name: str) -> None:
    """Let the site read this strategy from now on, and know it already."""
    wanted = DEFAULT if name == ARRAY else name
    switch = {"active": wanted, "writing": [wanted], "source": wanted, "target": wanted}
    connection.database["feed_switch"].replace_one(
        {"_id": "strategy"}, {**switch, "step": "done", "above": 0, "below": 0}, upsert=True
    )
    chosen.forget()
    chosen.in_use()


def _reading(name: str) -> Read:
    return _from_array if name == ARRAY else _from_site


def _from_site(reader: int, cursor: int | None) -> Page:
    page = selectors.home_page(reader=reader, limit=PAGE, max_id=cursor)
    return len(page.posts), page.older


def _from_array(reader: int, cursor: int | None) -> Page:
    """The same page, from messages that name their recipients."""
    before = reading.before_home(reader=reader)
    below = MAX_ID if cursor is None else cursor
    named = {"recipients": reader, "_id": {"$lt": below}}
    messages = connection.database["bench_messages"].find(named, {"_id": 1})
    found = messages.hint([("recipients", 1), ("_id", -1)]).sort("_id", -1).limit(PAGE + 1)
    ids = [one["_id"] for one in found]
    candidates = Candidates(ids, posts.by_ids(ids=ids) if ids else {}, more=False)
    me = Reader(uid=reader, before=before)
    seen = seen_by(reader=me, candidates=candidates, limit=PAGE)
    views = post_views(shown=seen.shown[:PAGE], seen=seen)
    return len(views), str(ids[PAGE - 1]) if len(ids) > PAGE else None


def _deep(there: Site, number: int) -> int:
    """A cursor within the inbox, beyond its open bucket: each time another one."""
    held = [one for one in there.posts if one > there.floor]
    return held[len(held) // 5 + number * 37 % (len(held) // 2)]


def spread(times: list[float]) -> dict[str, float]:
    """``p50`` and ``p99``."""
    last = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return {"p50": round(median(times), 2), "p99": round(last, 2)}
