"""The strategy in use, and the progress of a switch to another strategy. At most one document.

    strategy_switch {_id: "strategy", active, written: [names], source, target, step,
                     last_owner, cutoff_id}

Pages read the strategy ``active``, and deliveries write to the strategies ``written``. The site is
switching, or has switched, from ``source`` to ``target``. ``feed.timeline.strategy_switch`` explains each
``step``. ``last_owner`` is the last owner whose inbox was copied in this step. ``cutoff_id`` is an id
created when the step began. The step drops only generations below ``cutoff_id``.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document
from feed.store.collections import strategy_switch

SWITCH_KEY = {"_id": "strategy"}
DONE = "done"
"""The ``step`` of a finished switch."""


@dataclass(frozen=True, slots=True)
class Switch:
    active: str
    written: list[str]
    source: str
    target: str
    step: str
    last_owner: int
    cutoff_id: int


def get_switch() -> Switch | None:
    document = strategy_switch().find_one(SWITCH_KEY, {"_id": 0})
    return None if document is None else Switch(**document)


def begin_switch(*, source: str, target: str, step: str, cutoff_id: int) -> None:
    """Record a new switch, unless another switch is in progress."""
    switch = Switch(source, [source], source, target, step, last_owner=0, cutoff_id=cutoff_id)
    with suppress(DuplicateKeyError):
        strategy_switch().replace_one(
            {**SWITCH_KEY, "step": DONE, "active": source}, asdict(switch), upsert=True
        )


def advance_step(*, switch: Switch, step: str, cutoff_id: int, changes: Document) -> None:
    """Advance from the step of ``switch`` to ``step``, unless another process has left that step.

    ``changes``: new values of ``active`` and ``written``, {} to leave them.
    """
    changes = {**changes, "step": step, "last_owner": 0, "cutoff_id": cutoff_id}
    strategy_switch().update_one(_same_step(switch), {"$set": changes})


def record_progress(*, switch: Switch, last_owner: int) -> None:
    """Record that the step of ``switch`` is done for all owners up to ``last_owner``."""
    strategy_switch().update_one(_same_step(switch), {"$max": {"last_owner": last_owner}})


def _same_step(switch: Switch) -> Document:
    return {
        **SWITCH_KEY,
        "target": switch.target,
        "step": switch.step,
        "cutoff_id": switch.cutoff_id,
    }
