"""Save drafts and let scheduled posts become due."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from feed.services.drafts import save_draft
from feed.store.collections import drafts
from feed.store.drafts import Draft, get_draft
from tests.actions import content_of

HOUR = timedelta(hours=1)


def draft_of(author: User, text: str = "Later", **changed: Any) -> int:
    """Save a draft. ``changed`` are fields of its content, or ``reply_to_id`` and ``keeps_audience``."""
    return save_draft(author=author.pk, **_draft(text, changed))


def schedule(
    author: User, text: str = "Later", *, due_at: datetime | None = None, **changed: Any
) -> int:
    """Schedule a post, by default in an hour."""
    return save_draft(
        author=author.pk, due_at=due_at or timezone.now() + HOUR, **_draft(text, changed)
    )


def _draft(text: str, changed: dict[str, Any]) -> dict[str, Any]:
    own = {name: changed.pop(name) for name in ("reply_to_id", "keeps_audience") if name in changed}
    return {"content": content_of(text, **{"language": "en", **changed}), **own}


def let_come_due(*draft_ids: int) -> None:
    """Let the due time of scheduled posts come, without publishing them."""
    now = timezone.now() - timedelta(milliseconds=1)
    drafts().update_many(
        {"_id": {"$in": list(draft_ids)}}, {"$set": {"due_at": now, "check_at": now}}
    )


def stored(draft_id: int, owner: User) -> Draft:
    draft = get_draft(id=draft_id, owner=owner.pk)
    assert draft is not None
    return draft
