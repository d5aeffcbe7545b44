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

from .collections import Document, feed_switch

ONLY = {"_id": "strategy"}


@dataclass(frozen=True, slots=True)
class Switch:
    active: str
    writing: tuple[str, ...]
    source: str
    target: str
    step: str
    above: int
    below: int


def get() -> Switch | None:
    found = feed_switch().find_one(ONLY)
    if found is None:
        return None
    return Switch(
        active=found["active"],
        writing=tuple(found["writing"]),
        source=found["source"],
        target=found["target"],
        step=found["step"],
        above=found["above"],
        below=found["below"],
    )


def begin(*, source: str, target: str, step: str, done: str, below: int) -> None:
    """Note that a switch begins, unless one is under way; ``done`` is the step of one that is not."""
    new = {
        "active": source,
        "writing": [source],
        "source": source,
        "target": target,
        "step": step,
        "above": 0,
        "below": below,
    }
    with suppress(DuplicateKeyError):
        feed_switch().replace_one({**ONLY, "step": done, "active": source}, new, upsert=True)


def advance(
    *,
    switch: Switch,
    step: str,
    below: int,
    active: str | None = None,
    writing: Sequence[str] | None = None,
) -> None:
    """Go from the step of ``switch`` to the next, unless somebody else has."""
    changes: Document = {"step": step, "above": 0, "below": below}
    if active is not None:
        changes["active"] = active
    if writing is not None:
        changes["writing"] = list(writing)
    feed_switch().update_one(_at(switch), {"$set": changes})


def note_place(*, switch: Switch, above: int) -> None:
    """Readers up to this one are done in the step of ``switch``; never goes back."""
    feed_switch().update_one(_at(switch), {"$max": {"above": above}})


def _at(switch: Switch) -> Document:
    return {**ONLY, "target": switch.target, "step": switch.step, "below": switch.below}
