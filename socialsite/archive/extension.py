"""Properties of a post that ActivityStreams cannot express, under a key of this site:

    "socialsite:activity": {kind, details, replies, quotes}

Other sites ignore the key. On import, ``details`` is validated with the form for posts of this kind.
"""

from copy import deepcopy
from typing import Any

from django import forms
from django.conf import settings

from feed.activities import Details, activity_kind
from feed.models import Post
from feed.post_content import Audience, PostContent
from feed.store.post_rows import PostRow

EXTENSION_KEY = "socialsite:activity"
COMMENT_KIND = "comment"
COMMENT_EXTENSION = {
    EXTENSION_KEY: {"kind": COMMENT_KIND, "details": {}, "replies": "", "quotes": ""}
}


def extension_context() -> dict[str, str]:
    return {"socialsite": f"{settings.SITE_URL}/ns#"}


def post_extension(*, row: PostRow, details: Details) -> dict[str, Any]:
    """Return the key and its value for a post. ``details``: what ActivityStreams does not express."""
    policies = {"replies": row.reply_policy, "quotes": row.quote_policy}
    return {EXTENSION_KEY: {"kind": row.kind, "details": details, **policies}}


def parse_extension(note: Any) -> PostContent | None:
    """Return the content in the value of ``EXTENSION_KEY``, None if the note is a comment.

    ``quote_policy`` is "" if the note does not have a valid one.
    """
    extension = note.get(EXTENSION_KEY) if isinstance(note, dict) else None
    if not isinstance(extension, dict):
        return PostContent(audience=Audience(quote_policy=""))
    if extension.get("kind") == COMMENT_KIND:
        return None
    replies, quotes = extension.get("replies"), extension.get("quotes")
    kind, details = _validate_details(extension.get("kind"), extension.get("details"))
    audience = Audience(
        reply_policy=str(
            replies if replies in Post.ReplyPolicy.values else Post.ReplyPolicy.EVERYONE
        ),
        quote_policy=str(quotes if quotes in Post.QuotePolicy.values else ""),
    )
    return PostContent(kind=kind, details=details, audience=audience)


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
