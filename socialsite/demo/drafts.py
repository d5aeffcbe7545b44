"""Two drafts and a scheduled post of alice, one of the users with log-ins."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from feed.post_content import PostContent
from feed.services.drafts import save_draft

from .personas import ALICE

SCHEDULED_AHEAD = timedelta(days=2)
BOOK = {"title": "The Ferry Keeper", "item": "book", "stars": 4}


def save_drafts(uids: Sequence[int]) -> Iterator[int]:
    """Save the drafts. Safe to repeat."""
    alice = uids[ALICE]
    scheduled_at = (timezone.now() + SCHEDULED_AHEAD).replace(
        hour=8, minute=30, second=0, microsecond=0
    )
    for key, due_at, content in (
        ("scheduled", scheduled_at, _note("Market day! I am at the corner stall until noon.")),
        ("note", None, _note("Three things I learned about sourdough this winter:\n\n1. Patience")),
        (
            "review",
            None,
            replace(_note("Slow at first, then I could not stop."), kind="review", details=BOOK),
        ),
    ):
        save_draft(author=alice, content=content, due_at=due_at, idempotency_key=f"demo-{key}")
    yield 1


def _note(text: str) -> PostContent:
    return PostContent(text=text, language="en")
