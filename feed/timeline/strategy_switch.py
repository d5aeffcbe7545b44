"""Switch a live site from one strategy to another, without a restart.

The database records the current step (``store.strategy_switch``). Each step is safe to repeat, also after
an interruption:

    clear   drop inboxes left by an earlier use of the new strategy
    join    deliver with both strategies
    copy    build an inbox in the new strategy for every user with an inbox in the old strategy
    read    serve pages from the new strategy, and still deliver with both
    leave   deliver only with the new strategy
    drop    drop the inboxes of the old strategy

Processes notice a change with some delay (``selection``), so ``join``, ``read`` and ``leave`` wait until
all processes use the new value. No post is lost, because a process stores a post first and then looks up
the strategies. If a post is stored before an inbox is built, the build finds the post. If a post is stored
later, it is delivered with the new strategy, because ``join`` is over. The same is true for follows. Users
without an inbox in the new strategy get an inbox at their next visit.
"""

import time
from collections.abc import Iterator

from accounts.infra.ids import new_id
from feed.timeline.store import strategy_switch
from feed.timeline.store.strategy_switch import DONE, Switch

from . import selection
from .strategies import STRATEGIES

STEPS = ("clear", "join", "copy", "read", "leave", "drop")
BUILD_BATCH_SIZE = 100
COUNT_BATCH_SIZE = 10_000


class CannotSwitch(ValueError):
    """The switch is not possible. The message is for the operator."""


def switch_source(*, target: str) -> str:
    """Return the old strategy of a switch to ``target``, whether the switch is running or not yet started.

    Return ``target`` if it is already in use. Raises CannotSwitch.
    """
    if target not in STRATEGIES:
        raise CannotSwitch(f"Unknown strategy {target!r}. Choose one of: {', '.join(STRATEGIES)}.")
    current = strategy_switch.get_switch()
    if current is not None and current.step != DONE:
        if current.target != target:
            raise CannotSwitch(
                f"A switch to {current.target} is under way. Finish it first, by "
                f"'manage.py switch_strategy {current.target}'."
            )
        return current.source
    selection.clear_cache()
    return selection.used_strategies()[0]


def switch_to(*, target: str) -> Iterator[tuple[str, int]]:
    """Start or resume the switch and run it to the end.

    Yield ``(step, number of inboxes just built)`` to report progress. Raises CannotSwitch.
    """
    source = switch_source(target=target)
    if source == target:
        return
    strategy_switch.begin_switch(source=source, target=target, step=STEPS[0], cutoff_id=new_id())
    while True:
        selection.clear_cache()
        switch = strategy_switch.get_switch()
        if switch is None or switch.target != target:
            raise CannotSwitch("Another switch has been started in the meantime.")
        if switch.step == DONE:
            return
        yield switch.step, 0
        yield from _run_step(switch)


def count_inboxes(*, strategy: str) -> int:
    count = last_owner = 0
    lifecycle = STRATEGIES[strategy].lifecycle
    while owners := lifecycle.owners_after(above=last_owner, limit=COUNT_BATCH_SIZE):
        count, last_owner = count + len(owners), owners[-1]
    return count


def _run_step(switch: Switch) -> Iterator[tuple[str, int]]:
    old, new = switch.source, switch.target
    match switch.step:
        case "clear":
            STRATEGIES[new].lifecycle.drop_generations(below=switch.cutoff_id)
            _advance(switch, written=[old, new])
        case "join":
            _wait_for_all_processes()
            _advance(switch)
        case "copy":
            yield from _copy_inboxes(switch)
            _advance(switch, active=new)
        case "read":
            _wait_for_all_processes()
            _advance(switch, written=[new])
        case "leave":
            _wait_for_all_processes()
            _advance(switch)
        case "drop":
            STRATEGIES[old].lifecycle.drop_generations(below=switch.cutoff_id)
            _advance(switch)
        case _:
            raise CannotSwitch(f"The step {switch.step!r} is unknown to this version.")


def _advance(switch: Switch, **changes: str | list[str]) -> None:
    next_step = (*STEPS, DONE)[STEPS.index(switch.step) + 1]
    strategy_switch.advance_step(switch=switch, step=next_step, cutoff_id=new_id(), changes=changes)


def _copy_inboxes(switch: Switch) -> Iterator[tuple[str, int]]:
    old, new = STRATEGIES[switch.source], STRATEGIES[switch.target]
    last_owner = switch.last_owner
    while owners := old.lifecycle.owners_after(above=last_owner, limit=BUILD_BATCH_SIZE):
        for owner in owners:
            new.build_inbox(owner=owner)
        last_owner = owners[-1]
        strategy_switch.record_progress(switch=switch, last_owner=last_owner)
        yield switch.step, len(owners)


def _wait_for_all_processes() -> None:
    # Twice ``CACHE_SECONDS``, in case the clock of another machine runs slower.
    time.sleep(2 * selection.CACHE_SECONDS)
