"""The strategy in use and the progress of a switch to another: at most one document.

    strategy_switch {_id: "strategy", active, written: [names], source, target, step,
                     last_owner, cutoff_id}

``active`` is the strategy that serves pages, ``written`` are those that get deliveries. The site switches,
or has switched, from ``source`` to ``target``; ``feed.timeline.strategy_switch`` explains each ``step``.
``last_owner`` is the last owner done in this step. ``cutoff_id`` is an id created when the
step began: the step drops only older generations.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document
from feed.store.collections import strategy_switch

SWITCH_KEY = {"_id": "strategy"}


@dataclass(frozen=True, slots=True)
class Switch:
    active: str
    written: tuple[str, ...]
    source: str
    target: str
    step: str
    last_owner: int
    cutoff_id: int


def get_switch() -> Switch | None:
    document = strategy_switch().find_one(SWITCH_KEY)
    if document is None:
        return None
    return Switch(
        active=document["active"],
        written=tuple(document["written"]),
        source=document["source"],
        target=document["target"],
        step=document["step"],
        last_owner=document["last_owner"],
        cutoff_id=document["cutoff_id"],
    )


def begin_switch(*, source: str, target: str, step: str, done_step: str, cutoff_id: int) -> None:
    """Record a new switch, unless one is in progress. ``done_step`` is the step of a finished one."""
    document = {
        "active": source,
        "written": [source],
        "source": source,
        "target": target,
        "step": step,
        "last_owner": 0,
        "cutoff_id": cutoff_id,
    }
    with suppress(DuplicateKeyError):
        strategy_switch().replace_one(
            {**SWITCH_KEY, "step": done_step, "active": source}, document, upsert=True
        )


def advance_step(
    *,
    switch: Switch,
    step: str,
    cutoff_id: int,
    active: str | None = None,
    written: Sequence[str] | None = None,
) -> None:
    """Advance from the step of ``switch`` to ``step``, unless another process has."""
    changes: Document = {"step": step, "last_owner": 0, "cutoff_id": cutoff_id}
    if active is not None:
        changes["active"] = active
    if written is not None:
        changes["written"] = list(written)
    strategy_switch().update_one(_same_step(switch), {"$set": changes})


def record_progress(*, switch: Switch, last_owner: int) -> None:
    """Record that owners up to this one are done in the step of ``switch``. Never goes back."""
    strategy_switch().update_one(_same_step(switch), {"$max": {"last_owner": last_owner}})


def _same_step(switch: Switch) -> Document:
    return {
        **SWITCH_KEY,
        "target": switch.target,
        "step": switch.step,
        "cutoff_id": switch.cutoff_id,
    }
