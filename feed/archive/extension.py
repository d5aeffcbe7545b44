"""What a post of this site is beside what ActivityStreams has words for, under one key of its own:

    "socialsite:activity": {kind, details, replies}

Others pass it over. Read again, it is held against the form in which people write such posts.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.conf import settings

from feed.activities import Details, activity_kind
from feed.models import Post

EXTENSION_KEY = "socialsite:activity"
COMMENT_KIND = "comment"


def extension_context() -> dict[str, str]:
    return {"socialsite": f"{settings.SITE_URL}/ns#"}


def extension_json(*, kind: str, details: Details, reply_policy: str) -> dict[str, Any]:
    return {EXTENSION_KEY: {"kind": kind, "details": details, "replies": reply_policy}}


@dataclass(frozen=True, slots=True)
class Extension:
    """A plain note, where nothing else is said."""

    kind: str = "note"
    details: Details = field(default_factory=dict)
    reply_policy: str = Post.ReplyPolicy.EVERYONE
    is_comment: bool = False


def parse_extension(post: Any) -> Extension:
    said = post.get(EXTENSION_KEY) if isinstance(post, dict) else None
    if not isinstance(said, dict):
        return Extension()
    if said.get("kind") == COMMENT_KIND:
        return Extension(is_comment=True)
    replies = said.get("replies")
    if replies not in Post.ReplyPolicy.values:
        replies = Post.ReplyPolicy.EVERYONE
    kind, details = _kind(said.get("kind"), said.get("details"))
    return Extension(kind=kind, details=details, reply_policy=str(replies))


def _kind(name: Any, details: Any) -> tuple[str, Details]:
    known = activity_kind(name) if isinstance(name, str) else activity_kind("note")
    if not (known.is_written and known.fields and isinstance(details, dict)):
        return "note", {}
    given = {field: details.get(field) for field in known.fields}
    if not all(isinstance(one, str | int) for one in given.values()):
        return "note", {}
    form = type("Details", (forms.Form,), deepcopy(known.fields))(given)
    if not form.is_valid():
        return "note", {}
    try:
        return known.name, known.clean_details(form.cleaned_data)
    except forms.ValidationError:
        return "note", {}
