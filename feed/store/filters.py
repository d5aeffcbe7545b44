"""A viewer's filters: phrases, and activity kinds that the home timeline leaves out.

    home_states {_id: viewer, ..., hidden_kinds: [name],
                 filters: [{id, title, phrases: [{id, text}], should_collapse, expires_at}]}

Filters share a document with the home state, so that a home page reads both with one command.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, read_union

from .collections import home_states

MAX_FILTERS = 100
"""Maximum number of filters of a viewer, and of phrases in all these filters together."""


@dataclass(frozen=True, slots=True)
class Phrase:
    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter hides matching posts, or collapses them if ``should_collapse``.

    ``expires_at`` is None for a permanent filter.
    """

    id: int
    title: str
    phrases: tuple[Phrase, ...]
    should_collapse: bool
    expires_at: datetime | None

    @property
    def phrases_text(self) -> str:
        """Return all phrases in one line of text."""
        return ", ".join(phrase.text for phrase in self.phrases)


def filters_of(*, viewer: int) -> list[Filter]:
    """Return all filters, including expired filters, in order of creation. One command."""
    return filters_among(documents=read_union(queries=filter_queries(viewer=viewer)))


def filter_queries(*, viewer: int) -> list[Query]:
    """Return the query of ``filters_of``, to read it with others in one command (``read_union``)."""
    pipeline: list[Document] = [{"$match": {"_id": viewer}}, {"$project": {"filters": 1}}]
    return [(home_states().name, pipeline)]


def filters_among(*, documents: Iterable[Document]) -> list[Filter]:
    """Return the filters in a result that includes that of ``filter_queries``."""
    return next((filters_in(document) for document in documents if "filters" in document), [])


def filters_in(document: Document) -> list[Filter]:
    """Return the filters in a ``home_states`` document."""
    return [
        Filter(
            id=filter_["id"],
            title=filter_["title"],
            phrases=tuple(Phrase(phrase["id"], phrase["text"]) for phrase in filter_["phrases"]),
            should_collapse=filter_["should_collapse"],
            expires_at=filter_["expires_at"] and filter_["expires_at"].replace(tzinfo=UTC),
        )
        for filter_ in document.get("filters", ())
    ]


def add_filter(*, viewer: int, new_filter: Filter) -> bool:
    """Add a filter. Return False if the viewer already has ``MAX_FILTERS``."""
    element = _filter_element(new_filter)
    room = {"_id": viewer, f"filters.{MAX_FILTERS - 1}": {"$exists": False}}
    try:
        home_states().update_one(room, {"$push": {"filters": element}}, upsert=True)
    except DuplicateKeyError:  # the document is full, or another process just inserted it
        return bool(home_states().update_one(room, {"$push": {"filters": element}}).matched_count)
    return True


def replace_filter(*, viewer: int, changed_filter: Filter) -> bool:
    """Replace the filter that has the id of ``changed_filter``. Return False if there is no such filter."""
    changed = home_states().update_one(
        {"_id": viewer, "filters.id": changed_filter.id},
        {"$set": {"filters.$": _filter_element(changed_filter)}},
    )
    return bool(changed.matched_count)


def remove_filter(*, viewer: int, id: int) -> None:
    home_states().update_one({"_id": viewer}, {"$pull": {"filters": {"id": id}}})


def _filter_element(filter_: Filter) -> Document:
    phrases = [{"id": phrase.id, "text": phrase.text} for phrase in filter_.phrases]
    return {
        "id": filter_.id,
        "title": filter_.title,
        "phrases": phrases,
        "should_collapse": filter_.should_collapse,
        "expires_at": filter_.expires_at,
    }


def set_hidden_kinds(*, viewer: int, kinds: list[str]) -> None:
    """Set the activity kinds that the viewer's home timeline leaves out."""
    change = {"$set": {"hidden_kinds": kinds}}
    try:
        home_states().update_one({"_id": viewer}, change, upsert=True)
    except DuplicateKeyError:  # another process just inserted the document
        home_states().update_one({"_id": viewer}, change)


def hidden_kinds(*, viewer: int) -> list[str]:
    document = home_states().find_one({"_id": viewer}, {"hidden_kinds": 1}) or {}
    return list(document.get("hidden_kinds", ()))
