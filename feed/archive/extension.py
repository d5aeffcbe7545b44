"""What a post of this site is beside what ActivityStreams has words for, under one key of its own:

    "socialsite:activity": {kind, details, replies}

Others pass it over. Read again, it is held against the form in which people write such posts.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.conf import settings

from feed.activities import Details, activity
from feed.models import Post

KEY = "socialsite:activity"
COMMENT = "comment"


def context() -> dict[str, str]:
    return {"socialsite": f"{settings.SITE_URL}/ns#"}


def written(*, kind: str, details: Details, replies: str) -> dict[str, Any]:
    return {KEY: {"kind": kind, "details": details, "replies": replies}}


@dataclass(frozen=True, slots=True)
class Ours:
    """A plain note, where nothing else is said."""

    kind: str = "note"
    details: Details = field(default_factory=dict)
    replies: str = Post.Replies.EVERYONE
    is_comment: bool = False


def read(post: Any) -> Ours:
    said = post.get(KEY) if isinstance(post, dict) else None
    if not isinstance(said, dict):
        return Ours()
    if said.get("kind") == COMMENT:
        return Ours(is_comment=True)
    replies = said.get("replies")
    if replies not in Post.Replies.values:
        replies = Post.Replies.EVERYONE
    kind, details = _kind(said.get("kind"), said.get("details"))
    return Ours(kind=kind, details=details, replies=str(replies))


def _kind(name: Any, details: Any) -> tuple[str, Details]:
    known = activity(name) if isinstance(name, str) else activity("note")
    if not (known.is_written and known.fields and isinstance(details, dict)):
        return "note", {}
    given = {field: details.get(field) for field in known.fields}
    if not all(isinstance(one, str | int) for one in given.values()):
        return "note", {}
    form = type("Details", (forms.Form,), deepcopy(known.fields))(given)
    if not form.is_valid():
        return "note", {}
    try:
        return known.name, known.details(form.cleaned_data)
    except forms.ValidationError:
        return "note", {}
