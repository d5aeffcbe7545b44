"""Which strategy is in use and how far a switch to another has come: at most one document.

    feed_switch {_id: "strategy", active, writing: [names], source, target, step, above, below}

``active`` is the strategy that is read, ``writing`` are those that get deliveries. From ``source`` to
``target`` the site changes, or has changed; what the ``step`` under way is: ``strategies.switching``.
``above`` is the last reader done in this step, and ``below`` an id made before it: what is to be cleared
in it was begun before.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pymongo.errors import DuplicateKeyError

from feed.store.collections import Document, feed_switch

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
    found = feed_switch().find_one(SWITCH_KEY)
    if found is None:
        return None
    return Switch(
        active=found["active"],
        written=tuple(found["writing"]),
        source=found["source"],
        target=found["target"],
        step=found["step"],
        last_owner=found["above"],
        cutoff_id=found["below"],
    )


def begin_switch(*, source: str, target: str, step: str, done_step: str, cutoff_id: int) -> None:
    """Note that a switch begins, unless one is under way; ``done`` is the step of one that is not."""
    new = {
        "active": source,
        "writing": [source],
        "source": source,
        "target": target,
        "step": step,
        "above": 0,
        "below": cutoff_id,
    }
    with suppress(DuplicateKeyError):
        feed_switch().replace_one(
            {**SWITCH_KEY, "step": done_step, "active": source}, new, upsert=True
        )


def advance_step(
    *,
    switch: Switch,
    step: str,
    cutoff_id: int,
    active: str | None = None,
    written: Sequence[str] | None = None,
) -> None:
    """Go from the step of ``switch`` to the next, unless somebody else has."""
    changes: Document = {"step": step, "above": 0, "below": cutoff_id}
    if active is not None:
        changes["active"] = active
    if written is not None:
        changes["writing"] = list(written)
    feed_switch().update_one(_at(switch), {"$set": changes})


def record_progress(*, switch: Switch, last_owner: int) -> None:
    """Readers up to this one are done in the step of ``switch``; never goes back."""
    feed_switch().update_one(_at(switch), {"$max": {"above": last_owner}})


def _at(switch: Switch) -> Document:
    return {**SWITCH_KEY, "target": switch.target, "step": switch.step, "below": switch.cutoff_id}
