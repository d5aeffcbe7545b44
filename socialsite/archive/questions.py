"""Polls as ActivityStreams ``Question`` objects, like Mastodon.

An imported question becomes a poll that has ended, with the numbers of the archive. Nobody can check these
numbers, so pages say that they are from another site. A question that is no poll of this site, for example
because it has more choices, becomes a post with the choices in its text.
"""

from datetime import UTC, datetime
from typing import Any

from accounts.forms import SingleLineField
from feed.activities import Details
from feed.poll_details import MAX_CHOICE_LENGTH, MAX_CHOICES, MIN_CHOICES, is_over

MAX_CHOICES_READ = 100
MAX_LENGTH_READ = 1000
MAX_COUNT = 10**12


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
        name = option.get("name") if isinstance(option, dict) else None
        text = SingleLineField().to_python(name[:MAX_LENGTH_READ]) if isinstance(name, str) else ""
        if text:
            replies = option.get("replies")
            total = replies.get("totalItems") if isinstance(replies, dict) else 0
            read.append((text, _count(total)))
    return read


def _count(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return min(max(0, value), MAX_COUNT) if is_number else 0
