"""Parts of a note that an export writes and an import reads: polls, files, and properties of this site.

A poll is an ActivityStreams ``Question``, as in Mastodon. An imported question becomes a poll that has
ended, with the numbers of the archive. Nobody can check these numbers, so pages say that they are from
another site. A question that is no poll of this site, for example because it has more choices, becomes a
post with the choices in its text.

Properties of a post that ActivityStreams cannot express are under a key of this site:

    "socialsite:activity": {kind, details, replies, quotes}

Other sites ignore the key. On import, ``details`` is validated with the form for posts of this kind.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db.models import TextChoices

from accounts.forms import SingleLineField
from accounts.infra.plain_text import clean_text
from feed.activities import Details, activity_kind
from feed.kinds.polls import MAX_CHOICE_LENGTH, MAX_CHOICES, MIN_CHOICES, is_over
from feed.models import MAX_ALT_TEXT, Post
from feed.post_content import Audience, PostContent
from feed.store.post_rows import PostRow

from .html_text import MAX_HTML_LENGTH, html_to_text

MAX_CHOICES_READ = 100
MAX_LENGTH_READ = 1000
MAX_COUNT = 10**12
EXTENSION_KEY = "socialsite:activity"
COMMENT_KIND = "comment"
COMMENT_EXTENSION = {
    EXTENSION_KEY: {"kind": COMMENT_KIND, "details": {}, "replies": "", "quotes": ""}
}


def value_in(value: Any, name: str) -> Any:
    """Return a property of a JSON value, None if the value is not an object or has no such property."""
    return value.get(name) if isinstance(value, dict) else None


def text_in(value: Any, name: str) -> str:
    """Return a property like ``value_in``, "" if it is not a text."""
    text = value_in(value, name)
    return text if isinstance(text, str) else ""


def truncate(text: str, max_length: int) -> str:
    """Return the text, cut after ``max_length`` characters with “…” as the last one."""
    return text if len(text) <= max_length else clean_text(text[: max_length - 1]) + "…"


def cut_line(text: str, max_length: int) -> str:
    """Return the text as one line, cut like ``truncate``."""
    return truncate(SingleLineField().to_python(text[:MAX_HTML_LENGTH]), max_length)


def plain_text_in(value: Any, name: str, *, is_local: bool) -> str:
    """Return the text that is HTML in the property ``name``, as the author typed it on this site."""
    source = value_in(value, "source")
    if is_local and value_in(source, "mediaType") == "text/plain":
        return clean_text(text_in(source, "content")[:MAX_HTML_LENGTH])
    return html_to_text(html=text_in(value, name))


def choice_or(choices: type[TextChoices], value: Any, *, default: str) -> str:
    return str(value if value in choices.values else default)


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file to import. ``focus`` is as in ``Picture.focus``, None if the archive names none."""

    name: str
    alt: str
    focus: tuple[float, float] | None


def archived_file(*, name: str, attachment: Mapping[str, Any]) -> ArchivedFile:
    """Return a file of the archive with the description and focus in ``attachment``."""
    alt = clean_text(text_in(attachment, "name")[:MAX_HTML_LENGTH])
    focus = _focus(attachment.get("focalPoint"))
    return ArchivedFile(name, truncate(alt, MAX_ALT_TEXT), focus)


def focus_json(picture: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``focalPoint``, as Mastodon writes it, of an entry of ``Post.media``."""
    return {"focalPoint": list(picture["focus"])} if picture.get("focus") else {}


def _focus(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    # The comparison also excludes NaN, which Python's JSON accepts.
    is_valid = all(type(part) in (int, float) and -1 <= part <= 1 for part in value)
    return (float(value[0]), float(value[1])) if is_valid and any(value) else None


def post_extension(*, row: PostRow, details: Details) -> dict[str, Any]:
    """Return the key and its value for a post. ``details``: what ActivityStreams does not express."""
    policies = {"replies": row.reply_policy, "quotes": row.quote_policy}
    return {EXTENSION_KEY: {"kind": row.kind, "details": details, **policies}}


def parse_extension(note: Any) -> PostContent | None:
    """Return the content in the value of ``EXTENSION_KEY``, None if the note is a comment.

    ``quote_policy`` is "" if the note does not have a valid one.
    """
    extension = value_in(note, EXTENSION_KEY)
    if not isinstance(extension, dict):
        return PostContent(audience=Audience(quote_policy=""))
    if extension.get("kind") == COMMENT_KIND:
        return None
    kind, details = _validate_details(extension.get("kind"), extension.get("details"))
    replies, quotes = extension.get("replies"), extension.get("quotes")
    audience = Audience(
        reply_policy=choice_or(Post.ReplyPolicy, replies, default=Post.ReplyPolicy.EVERYONE),
        quote_policy=choice_or(Post.QuotePolicy, quotes, default=""),
    )
    return PostContent(kind=kind, details=details, audience=audience)


def _validate_details(name: Any, details: Any) -> tuple[str, Details]:
    known = activity_kind(name) if isinstance(name, str) else activity_kind("note")
    read = details if isinstance(details, dict) else {}
    values = {field: read.get(field) for field in known.fields}
    is_plain = all(isinstance(value, str | int) for value in values.values())
    with suppress(forms.ValidationError):
        if known.is_written and values and is_plain:
            return known.name, known.build_details(values)
    return "note", {}


def question_json(*, details: Details) -> dict[str, Any]:
    """Return the fields that turn the note of a poll into a question."""
    end = datetime.fromtimestamp(details["ends_at"], UTC).isoformat().replace("+00:00", "Z")
    options = [
        {
            "type": "Note",
            "name": text,
            "replies": {"type": "Collection", "totalItems": count},
        }
        for text, count in zip(details["choices"], details["counts"], strict=True)
    ]
    return {
        "type": "Question",
        "anyOf" if details["is_multiple"] else "oneOf": options,
        "endTime": end,
        "votersCount": details["voters"],
        **({"closed": end} if is_over(details) else {}),
    }


def choices_of(*, question: dict[str, Any]) -> list[str]:
    """Return the texts of the choices, on one line each."""
    return [text for text, _ in _options(question)]


def imported_details(*, question: dict[str, Any], ended_at: datetime) -> Details:
    """Return the details of the poll, which ended at ``ended_at``, or {} if it is no poll of this site."""
    options = _options(question)
    choices = [text for text, _ in options]
    is_valid = (
        MIN_CHOICES <= len(choices) <= MAX_CHOICES
        and len(set(choices)) == len(choices)
        and all(len(text) <= MAX_CHOICE_LENGTH for text in choices)
    )
    if not is_valid:
        return {}
    counts = [count for _, count in options]
    is_multiple = isinstance(question.get("anyOf"), list)
    voters = _count(question.get("votersCount")) if is_multiple else sum(counts)
    return {
        "choices": choices,
        "is_multiple": is_multiple,
        "hides_totals": False,
        "ends_at": int(ended_at.timestamp()),
        "counts": counts,
        "voters": min(max(voters, max(counts)), sum(counts)),
        "is_end_pending": False,
        "is_imported": True,
    }


def _options(question: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the text and the number of votes of each choice."""
    options = question.get("anyOf") or question.get("oneOf")
    read = []
    for option in options[:MAX_CHOICES_READ] if isinstance(options, list) else ():
        text = SingleLineField().to_python(text_in(option, "name")[:MAX_LENGTH_READ])
        if text:
            read.append((text, _count(value_in(option.get("replies"), "totalItems"))))
    return read


def _count(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return min(max(0, value), MAX_COUNT) if is_number else 0
