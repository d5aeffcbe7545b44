"""The words by which the search finds a post, stored with the post (``store.text_search`` queries them).

    feed_post {..., words: ["rain", "#weather", "from:123", "has:picture", ..]}

* The words of all text of the post, including picture descriptions.
* ``#`` and a hashtag. ``from:`` and the uid of the author. ``language:`` and the code of the language.
  ``has:`` and a property of the post.

Only public posts can be searched, so all other posts have no words.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django_mongodb_backend.fields import ArrayField

from accounts.infra.search_words import search_words

MAX_WORDS = 500
MAX_LENGTH = 501
"""The longest word: a hashtag may have as many characters as a post."""

SOURCE_FIELDS = frozenset({"text", "content_warning", "media", "details", "attributes"})
"""The fields of a post that an edit can change and from which the words are made."""


class SearchedPost(Protocol):
    """The fields of a ``Post`` or a ``PostRow`` that the search reads."""

    @property
    def text(self) -> str: ...
    @property
    def content_warning(self) -> str: ...
    @property
    def details(self) -> Any: ...
    @property
    def media(self) -> Any: ...


def searched_texts(post: SearchedPost) -> list[str]:
    """Return the texts of a post that the search reads. A phrase may not span two of them."""
    details = [
        text
        for value in (post.details or {}).values()
        for text in (value if isinstance(value, list) else [value])
        if isinstance(text, str)
    ]
    descriptions = (picture["alt"] for picture in post.media)
    return [text for text in (post.text, post.content_warning, *details, *descriptions) if text]


def words_of(
    post: SearchedPost,
    *,
    author: int,
    kind: str,
    visibility: str,
    attributes: Sequence[dict[str, Any]],
) -> list[str]:
    """Return the distinct words of a post. Empty if the search must not find the post."""
    texts = searched_texts(post)
    if visibility != "public" or not (texts or post.media):
        return []
    special = [author_word(author)]
    special += (
        tag_word(attribute["value"]) for attribute in attributes if attribute["kind"] == "hashtag"
    )
    has_link = any(attribute["kind"] == "host" for attribute in attributes)
    kinds = {entry.get("kind", "image") for entry in post.media}
    properties = {
        "media": bool(kinds),
        "picture": "image" in kinds,
        "video": "video" in kinds,
        "audio": "audio" in kinds,
        "link": has_link,
        kind: kind != "note",
    }
    special += (
        language_word(attribute["value"])
        for attribute in attributes
        if attribute["kind"] == "language"
    )
    special += (property_word(name) for name, is_present in properties.items() if is_present)
    words = (word for text in texts for word in search_words(text))
    return list(dict.fromkeys([*special, *words]))[:MAX_WORDS]


def author_word(uid: int) -> str:
    return f"from:{uid}"


def tag_word(tag: str) -> str:
    return f"#{tag}"


def language_word(code: str) -> str:
    return f"language:{code}"


def property_word(name: str) -> str:
    """Return the word of posts with a property: "picture", "video", "link", "review" or another."""
    return f"has:{name}"


class PostWordsField(ArrayField):
    """The words of a post, updated when the post is saved."""

    def pre_save(self, model_instance: Any, add: bool) -> list[str]:
        words = words_of(
            model_instance,
            author=model_instance.author_id,
            kind=model_instance.kind,
            visibility=model_instance.visibility,
            attributes=model_instance.attributes,
        )
        setattr(model_instance, self.attname, words)
        return words


def are_outdated_by(fields: Iterable[str]) -> bool:
    """Return whether the words depend on one of these fields of a post."""
    return not SOURCE_FIELDS.isdisjoint(fields)
