"""What is done: reports (``reporting``), work on cases (``cases``), actions and their undoing (``acting``),
appeals (``appealing``), and what time brings (``keeping``). All of it is in the log (``auditing``).
"""

from .acting import CannotAct, end_expired, finish_begun, hold_as_site, take_action, undo_action
from .appealing import CannotAppeal, appeal, decide_appeal
from .cases import CannotReopen, add_note, assign, close_case, reopen_case, sort_case
from .forgetting import forget_person
from .keeping import delete_for_good, open_forgotten_cases
from .reporting import open_case, report

__all__ = [
    "CannotAct",
    "CannotAppeal",
    "CannotReopen",
    "add_note",
    "appeal",
    "assign",
    "close_case",
    "decide_appeal",
    "delete_for_good",
    "end_expired",
    "finish_begun",
    "forget_person",
    "hold_as_site",
    "open_case",
    "open_forgotten_cases",
    "reopen_case",
    "report",
    "sort_case",
    "take_action",
    "undo_action",
]
