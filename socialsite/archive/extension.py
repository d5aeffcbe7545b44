"""Properties of a post that ActivityStreams cannot express, under a key of this site:

    "socialsite:activity": {kind, details, replies, quotes}

Other sites ignore the key. On import, ``details`` is validated with the form for posts of this kind.
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


def extension_json(
    *, kind: str, details: Details, reply_policy: str, quote_policy: str
) -> dict[str, Any]:
    policies = {"replies": reply_policy, "quotes": quote_policy}
    return {EXTENSION_KEY: {"kind": kind, "details": details, **policies}}


@dataclass(frozen=True, slots=True)
class Extension:
    """The parsed value of ``EXTENSION_KEY``. The defaults are used for notes without this key."""

    kind: str = "note"
    details: Details = field(default_factory=dict)
    reply_policy: str = Post.ReplyPolicy.EVERYONE
    quote_policy: str = ""
    is_comment: bool = False


def parse_extension(post: Any) -> Extension:
    extension = post.get(EXTENSION_KEY) if isinstance(post, dict) else None
    if not isinstance(extension, dict):
        return Extension()
    if extension.get("kind") == COMMENT_KIND:
        return Extension(is_comment=True)
    replies = extension.get("replies")
    if replies not in Post.ReplyPolicy.values:
        replies = Post.ReplyPolicy.EVERYONE
    quotes = extension.get("quotes")
    if quotes not in Post.QuotePolicy.values:
        quotes = ""
    kind, details = _validate_details(extension.get("kind"), extension.get("details"))
    return Extension(
        kind=kind, details=details, reply_policy=str(replies), quote_policy=str(quotes)
    )


def _validate_details(name: Any, details: Any) -> tuple[str, Details]:
    known = activity_kind(name) if isinstance(name, str) else activity_kind("note")
    if not (known.is_written and known.fields and isinstance(details, dict)):
        return "note", {}
    values = {field: details.get(field) for field in known.fields}
    if not all(isinstance(value, str | int) for value in values.values()):
        return "note", {}
    form = type("Details", (forms.Form,), deepcopy(known.fields))(values)
    if not form.is_valid():
        return "note", {}
    try:
        return known.name, known.clean_details(form.cleaned_data)
    except forms.ValidationError:
        return "note", {}
