"""What imports and the demo ask for about many readers or posts at once."""

from collections.abc import Sequence
from datetime import datetime

from .collections import Document, demo_orders, posts


def pending_among(*, ids: Sequence[int]) -> set[int]:
    """Which of these posts are still to be delivered."""
    found = posts().find({"_id": {"$in": list(ids)}, "delivery_state": "pending"}, {"_id": 1})
    return {one["_id"] for one in found}


def finish_deliveries(*, ids: Sequence[int], at: datetime) -> None:
    """Say of these posts that all their audience has them."""
    done = {"delivery_state": "done", "delivery_at": at}
    posts().update_many({"_id": {"$in": list(ids)}}, {"$set": done})


def begun_demo() -> Document | None:
    """The order for a demo which has been begun and is not finished."""
    return demo_orders().find_one({"_id": "demo", "finished_at": None})


def begin_demo(*, order: Document) -> None:
    demo_orders().replace_one({"_id": "demo"}, {**order, "finished_at": None}, upsert=True)


def finish_demo(*, at: datetime) -> None:
    demo_orders().update_one({"_id": "demo"}, {"$set": {"finished_at": at}})
