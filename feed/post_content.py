"""What an author writes, and for whom: one value from the composer or an app to the database.

The composer, the API, drafts, scheduled posts and edits build a ``PostContent``, and services take it. A
new field that authors write belongs here, into ``feed.models.Post`` and into ``PostRow``.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may read, comment on and quote a post: values of the fields of ``Post`` with these names."""

    visibility: str = "public"
    reply_policy: str = "everyone"
    quote_policy: str = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What edits replace: fields with the same name in ``Post`` and ``PostRow``. Revisions keep them."""

    text: str = ""
    content_warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostContent(Written):
    """The content of a post.

    Attributes:
        language: code of the language (``text.languages``), "" to guess it from the text.
        kind: name of an activity kind (``activities``).
        details: data of the kind, as in ``Post.details``. In a draft, the values of the fields of the kind
            (``Activity.fields``), because the details may depend on the time.
        picture_ids: ids of pictures or of a clip, in order.
        quoted_id: id of the quoted post, 0 without a quote.
    """

    language: str = ""
    kind: str = "note"
    details: Mapping[str, Any] = field(default_factory=dict)
    picture_ids: tuple[int, ...] = ()
    quoted_id: int = 0
    audience: Audience = Audience()

    def stored(self) -> dict[str, Any]:
        """Return the content as a document that ``stored_content`` reads."""
        return {**asdict(self), "picture_ids": list(self.picture_ids)}


def stored_content(document: Mapping[str, Any]) -> PostContent:
    """Return the content in a document. Fields that it lacks have their defaults."""
    known = known_fields(PostContent, document)
    known["picture_ids"] = tuple(known.get("picture_ids", ()))
    known["audience"] = Audience(**known_fields(Audience, known.get("audience", {})))
    return PostContent(**known)


def known_fields(value: Any, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of those fields of a dataclass that a document has."""
    return {field.name: document[field.name] for field in fields(value) if field.name in document}


WRITTEN_FIELDS = tuple(field.name for field in fields(Written))


def written_fields(source: object) -> dict[str, Any]:
    """Return the ``WRITTEN_FIELDS`` of a content, a post or a row."""
    return {name: getattr(source, name) for name in WRITTEN_FIELDS}
