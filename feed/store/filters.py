"""Filters of a viewer: by phrases, and in the home timeline by activity kinds.

    home_states {_id: reader, ..., hidden_kinds: [name],
                       filters: [{id, title, phrases: [{id, text}], folds, until}]}

Older filters have one ``phrase`` instead, and no title. Filters are in the same document as the reading
position, because a home page needs both first.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document

from .collections import home_states

MAX_FILTERS = 100
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
    should_collapse: bool
    expires_at: datetime | None

    @property
    def phrases_text(self) -> str:
        """All of them, for a line of a list."""
        return ", ".join(phrase.text for phrase in self.phrases)


def filters_of(*, viewer: int) -> list[Filter]:
    """Return all filters, including expired ones, in order of creation: one command."""
    found = home_states().find_one({"_id": viewer}, {"filters": 1})
    return [] if found is None else filters_in(found)


def filters_in(document: Document) -> list[Filter]:
    """Return the filters in a viewer's document."""
    return [
        Filter(
            id=filter_["id"],
            title=filter_.get("title") or filter_.get("phrase", ""),
            phrases=_phrases(filter_),
            should_collapse=filter_["folds"],
            expires_at=filter_["until"] and filter_["until"].replace(tzinfo=UTC),
        )
        for filter_ in document.get("filters", ())
    ]


def _phrases(one: Document) -> tuple[Phrase, ...]:
    if "phrase" in one:
        return (Phrase(one["id"], one["phrase"]),)
    return tuple(Phrase(phrase["id"], phrase["text"]) for phrase in one["phrases"])


def add_filter(*, viewer: int, new_filter: Filter) -> bool:
    """Add a filter. Return False if the user has reached the limit."""
    item = _item(new_filter)
    room = {"_id": viewer, f"filters.{MAX_FILTERS - 1}": {"$exists": False}}
    try:
        home_states().update_one(room, {"$push": {"filters": item}}, upsert=True)
    except DuplicateKeyError:  # there is the document, without room; or two made it at once
        return bool(
            home_states().update_one(room, {"$push": {"filters": item}}).matched_count
        )
    return True


def replace_filter(*, viewer: int, changed_filter: Filter) -> bool:
    """Replace the filter with the same id. Return False if there is none."""
    changed = home_states().update_one(
        {"_id": viewer, "filters.id": changed_filter.id},
        {"$set": {"filters.$": _item(changed_filter)}},
    )
    return bool(changed.matched_count)


def remove_filter(*, viewer: int, id: int) -> None:
    home_states().update_one({"_id": viewer}, {"$pull": {"filters": {"id": id}}})


def _item(one: Filter) -> Document:
    phrases = [{"id": phrase.id, "text": phrase.text} for phrase in one.phrases]
    return {
        "id": one.id,
        "title": one.title,
        "phrases": phrases,
        "folds": one.should_collapse,
        "until": one.expires_at,
    }


def set_hidden_kinds(*, viewer: int, kinds: list[str]) -> None:
    """Set the activity kinds that the home timeline leaves out."""
    change = {"$set": {"hidden_kinds": kinds}}
    try:
        home_states().update_one({"_id": viewer}, change, upsert=True)
    except DuplicateKeyError:  # two made the document at once
        home_states().update_one({"_id": viewer}, change)


def hidden_kinds(*, viewer: int) -> list[str]:
    found = home_states().find_one({"_id": viewer}, {"hidden_kinds": 1}) or {}
    return list(found.get("hidden_kinds", ()))
