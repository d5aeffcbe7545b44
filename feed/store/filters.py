"""What a reader does not want to read: by words, and at home by kinds of activities.

    reading_positions {_id: reader, ..., hidden_kinds: [name],
                       filters: [{id, title, phrases: [{id, text}], folds, until}]}

Filters of old have one ``phrase`` instead, and no title. Beside the reading position, because a home page
needs both before anything else.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo.errors import DuplicateKeyError

from .collections import Document, reading_positions

MOST = 100
"""Filters, and phrases of all of them."""


@dataclass(frozen=True, slots=True)
class Phrase:
    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Filter:
    """``folds``: posts are folded behind a warning instead of left out. ``until``: None is for good."""

    id: int
    title: str
    phrases: tuple[Phrase, ...]
    folds: bool
    until: datetime | None

    @property
    def phrase(self) -> str:
        """All of them, for a line of a list."""
        return ", ".join(one.text for one in self.phrases)


def of(*, reader: int) -> list[Filter]:
    """All, also those that have ended, in the order in which they were made: one command."""
    found = reading_positions().find_one({"_id": reader}, {"filters": 1})
    return [] if found is None else read(found)


def read(document: Document) -> list[Filter]:
    """The filters in a reader's document."""
    return [
        Filter(
            id=one["id"],
            title=one.get("title") or one.get("phrase", ""),
            phrases=_phrases(one),
            folds=one["folds"],
            until=one["until"] and one["until"].replace(tzinfo=UTC),
        )
        for one in document.get("filters", ())
    ]


def _phrases(one: Document) -> tuple[Phrase, ...]:
    if "phrase" in one:
        return (Phrase(one["id"], one["phrase"]),)
    return tuple(Phrase(phrase["id"], phrase["text"]) for phrase in one["phrases"])


def add(*, reader: int, one: Filter) -> bool:
    """False if there are as many as fit."""
    item = _item(one)
    room = {"_id": reader, f"filters.{MOST - 1}": {"$exists": False}}
    try:
        reading_positions().update_one(room, {"$push": {"filters": item}}, upsert=True)
    except DuplicateKeyError:  # there is the document, without room; or two made it at once
        return bool(
            reading_positions().update_one(room, {"$push": {"filters": item}}).matched_count
        )
    return True


def replace(*, reader: int, one: Filter) -> bool:
    """The filter with its id is as this now; False if there is none."""
    changed = reading_positions().update_one(
        {"_id": reader, "filters.id": one.id}, {"$set": {"filters.$": _item(one)}}
    )
    return bool(changed.matched_count)


def remove(*, reader: int, id: int) -> None:
    reading_positions().update_one({"_id": reader}, {"$pull": {"filters": {"id": id}}})


def _item(one: Filter) -> Document:
    phrases = [{"id": phrase.id, "text": phrase.text} for phrase in one.phrases]
    return {
        "id": one.id,
        "title": one.title,
        "phrases": phrases,
        "folds": one.folds,
        "until": one.until,
    }


def hide_kinds(*, reader: int, kinds: list[str]) -> None:
    """These, and no others, are left out of the home timeline."""
    change = {"$set": {"hidden_kinds": kinds}}
    try:
        reading_positions().update_one({"_id": reader}, change, upsert=True)
    except DuplicateKeyError:  # two made the document at once
        reading_positions().update_one({"_id": reader}, change)


def hidden_kinds(*, reader: int) -> list[str]:
    found = reading_positions().find_one({"_id": reader}, {"hidden_kinds": 1}) or {}
    return list(found.get("hidden_kinds", ()))
