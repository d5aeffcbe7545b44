"""A viewer's filters: phrases, and activity kinds that the home timeline leaves out.

    home_states {_id: viewer, ..., hidden_kinds: [name],
                 filters: [{id, title, phrases: [{id, text, is_part?}], posts?: [{id, post}],
                            should_collapse, expires_at}]}

``posts`` are single posts that the filter hides or collapses, whatever they say.

Filters share a document with the home state, so that a home page reads both with one command.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING

from accounts.infra.plain_text import join_names
from accounts.infra.store.connection import Document, aware, upsert
from accounts.infra.store.unions import Query, UnionResult, read_union

from .collections import home_states

MAX_FILTERS = 100
"""Maximum number of filters of a viewer, and of phrases in all these filters together."""


MAX_FILTERED_POSTS = 100
"""Maximum number of single posts in all filters of a viewer together."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a filter. If ``is_part``, it also matches inside words. New phrases have the id 0."""

    id: int
    text: str
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class FilteredPost:
    """A single post in a filter. ``id`` identifies the row, ``post`` is the id of the post."""

    id: int
    post: int


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
    posts: tuple[FilteredPost, ...] = ()

    @property
    def phrases_text(self) -> str:
        """Return all phrases in one line of text."""
        return join_names(phrase.text for phrase in self.phrases)


def create_indexes() -> None:
    home_states().create_index([("filters.posts.post", ASCENDING)], sparse=True)


def filters_of(*, viewer: int) -> list[Filter]:
    """Return all filters, including expired filters, in order of creation. One command."""
    return filters_among(union=read_union(queries=filter_queries(viewer=viewer)))


def filter_queries(*, viewer: int) -> list[Query]:
    """Return the query of ``filters_of``, to read it with others in one command (``read_union``)."""
    pipeline: list[Document] = [{"$match": {"_id": viewer}}, {"$project": {"filters": 1}}]
    return [(home_states().name, pipeline)]


def filters_among(*, union: UnionResult) -> list[Filter]:
    """Return the filters in a result that includes that of ``filter_queries``."""
    return next((filters_in(document) for document in union.having("filters")), [])


def filters_in(document: Document) -> list[Filter]:
    """Return the filters in a ``home_states`` document."""
    return [
        Filter(
            id=filter_["id"],
            title=filter_["title"],
            phrases=tuple(
                Phrase(phrase["id"], phrase["text"], phrase.get("is_part", False))
                for phrase in filter_["phrases"]
            ),
            should_collapse=filter_["should_collapse"],
            expires_at=aware(filter_["expires_at"]),
            posts=tuple(FilteredPost(row["id"], row["post"]) for row in filter_.get("posts", ())),
        )
        for filter_ in document.get("filters", ())
    ]


def add_filter(*, viewer: int, new_filter: Filter) -> bool:
    """Add a filter.

    Return False if the viewer already has ``MAX_FILTERS``, or already has a filter for the same single
    posts only, with the same action.
    """
    element = _filter_element(new_filter)
    room: Document = {"_id": viewer, f"filters.{MAX_FILTERS - 1}": {"$exists": False}}
    if new_filter.posts:
        element["posts"] = [{"id": row.id, "post": row.post} for row in new_filter.posts]
        same = {
            "phrases": [],
            "should_collapse": new_filter.should_collapse,
            "posts.post": {"$all": [row.post for row in new_filter.posts]},
        }
        room["filters"] = {"$not": {"$elemMatch": same}}
    change = {"$push": {"filters": element}}
    return upsert(collection=home_states(), query=room, change=change)


def replace_filter(*, viewer: int, changed_filter: Filter) -> bool:
    """Replace the filter that has the id of ``changed_filter``, except its single posts.

    Return False if there is no such filter.
    """
    changes = {
        f"filters.$.{name}": value for name, value in _filter_element(changed_filter).items()
    }
    changed = home_states().update_one(
        {"_id": viewer, "filters.id": changed_filter.id}, {"$set": changes}
    )
    return bool(changed.matched_count)


def remove_filter(*, viewer: int, id: int) -> None:
    home_states().update_one({"_id": viewer}, {"$pull": {"filters": {"id": id}}})


def add_filtered_post(*, viewer: int, filter_id: int, filtered_post: FilteredPost) -> None:
    """Add a single post to a filter. Change nothing if the filter is missing or contains the post."""
    lacks_post = {"id": filter_id, "posts.post": {"$ne": filtered_post.post}}
    row = {"id": filtered_post.id, "post": filtered_post.post}
    home_states().update_one(
        {"_id": viewer, "filters": {"$elemMatch": lacks_post}}, {"$push": {"filters.$.posts": row}}
    )


def remove_post_from_filters(*, post: int) -> None:
    """Remove a deleted post from the filters of all viewers. One command."""
    home_states().update_many(
        {"filters.posts.post": post}, {"$pull": {"filters.$[].posts": {"post": post}}}
    )


def remove_filtered_post(*, viewer: int, id: int) -> None:
    home_states().update_one(
        {"_id": viewer, "filters.posts.id": id}, {"$pull": {"filters.$[].posts": {"id": id}}}
    )


def _filter_element(filter_: Filter) -> Document:
    phrases = [
        {"id": phrase.id, "text": phrase.text, **({"is_part": True} if phrase.is_part else {})}
        for phrase in filter_.phrases
    ]
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
    upsert(collection=home_states(), query={"_id": viewer}, change=change)


def hidden_kinds(*, viewer: int) -> list[str]:
    document = home_states().find_one({"_id": viewer}, {"hidden_kinds": 1}) or {}
    return list(document.get("hidden_kinds", ()))
