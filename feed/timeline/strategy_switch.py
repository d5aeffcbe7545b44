"""From one strategy to another while people read and write, and nobody restarts anything.

The steps stand in the database (``store.switches``), each may stop anywhere and be taken again:

    clear   what an earlier use of the new strategy has left goes
    join    from here on all deliveries go to both
    copy    everybody with an inbox in the old one gets one in the new, built from the posts
    read    pages are read from the new one; deliveries still go to both
    leave   deliveries go to the new one alone
    drop    the inboxes of the old one go

Processes learn of a change with some delay (``chosen``); ``join``, ``read`` and ``leave`` wait until all
know. Nothing is lost on the way: a post is stored before it is asked which strategies are written. If it
is stored after somebody's inbox was built, that is long after ``join``, and so the post is delivered to the
new strategy; if before, the building finds it. The same holds for follows. And who has no inbox in
the new strategy gets one at the next visit, as ever.
"""

import time
from collections.abc import Iterator

from accounts.infra.ids import new_id
from feed.timeline.store import strategy_switch
from feed.timeline.store.strategy_switch import Switch

from . import selection
from .strategies import STRATEGIES

STEPS = ("clear", "join", "copy", "read", "leave", "drop")
DONE = "done"
BUILD_BATCH_SIZE = 100
COUNT_BATCH_SIZE = 10_000


class CannotSwitch(ValueError):
    """The message is for the operator."""


def switch_source(*, target: str) -> str:
    """The strategy that a switch to ``target`` starts from, or has started from; ``target`` itself if
    nothing is to be done. Raises CannotSwitch.
    """
    if target not in STRATEGIES:
        raise CannotSwitch(f"There is no strategy {target!r}. There are: {', '.join(STRATEGIES)}.")
    there = strategy_switch.get_switch()
    if there is not None and there.step != DONE:
        if there.target != target:
            raise CannotSwitch(
                f"A switch to {there.target} is under way. Finish it first, by "
                f"'manage.py switch_strategy {there.target}'."
            )
        return there.source
    selection.clear_cache()
    return selection.current_selection().active


def switch_to(*, target: str) -> Iterator[tuple[str, int]]:
    """Begin the switch, or go on with it, to the end: yields the step under way and how many readers
    are newly done in it. Raises CannotSwitch.
    """
    source = switch_source(target=target)
    if source == target:
        return
    strategy_switch.begin_switch(
        source=source, target=target, step=STEPS[0], done_step=DONE, cutoff_id=new_id()
    )
    while True:
        selection.clear_cache()
        switch = strategy_switch.get_switch()
        if switch is None or switch.target != target:
            raise CannotSwitch("Somebody else has begun another switch.")
        if switch.step == DONE:
            return
        yield switch.step, 0
        yield from _take(switch)


def count_inboxes(*, strategy: str) -> int:
    count = above = 0
    while found := STRATEGIES[strategy].lifecycle.owners_after(above=above, limit=COUNT_BATCH_SIZE):
        count, above = count + len(found), found[-1]
    return count


def _take(switch: Switch) -> Iterator[tuple[str, int]]:
    old, new = switch.source, switch.target
    match switch.step:
        case "clear":
            STRATEGIES[new].lifecycle.drop_generations(below=switch.cutoff_id)
            _advance(switch, writing=(old, new))
        case "join":
            _wait_until_all_know()
            _advance(switch)
        case "copy":
            yield from _copy(switch)
            _advance(switch, active=new)
        case "read":
            _wait_until_all_know()
            _advance(switch, writing=(new,))
        case "leave":
            _wait_until_all_know()
            _advance(switch)
        case "drop":
            STRATEGIES[old].lifecycle.drop_generations(below=switch.cutoff_id)
            _advance(switch)
        case _:
            raise CannotSwitch(f"The step {switch.step!r} is unknown to this version.")


def _advance(
    switch: Switch, *, active: str | None = None, writing: tuple[str, ...] | None = None
) -> None:
    following = (*STEPS, DONE)[STEPS.index(switch.step) + 1]
    strategy_switch.advance_step(
        switch=switch, step=following, cutoff_id=new_id(), active=active, written=writing
    )


def _copy(switch: Switch) -> Iterator[tuple[str, int]]:
    old, new, above = STRATEGIES[switch.source], STRATEGIES[switch.target], switch.last_owner
    while readers := old.lifecycle.owners_after(above=above, limit=BUILD_BATCH_SIZE):
        for reader in readers:
            new.build_inbox(owner=reader)
        above = readers[-1]
        strategy_switch.record_progress(switch=switch, last_owner=above)
        yield switch.step, len(readers)


def _wait_until_all_know() -> None:
    # Twice, for clocks do not all run equally fast.
    time.sleep(2 * selection.CACHE_SECONDS)
