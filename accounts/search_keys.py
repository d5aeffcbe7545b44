"""The keys by which the search finds users, stored with each user (``store.user_search`` queries them).

    accounts_user {..., search_keys: ["n:alice", "b:gardener", "t:alce", ..]}

* ``n:`` a word of the display name or username.
* ``b:`` a word of the bio.
* ``t:`` a word of a name of four letters or more, without one of its letters. Two words that differ by one
  letter, or by two swapped neighbours, share such a key (the symmetric delete method).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django_mongodb_backend.fields import ArrayField

from accounts.infra.search_words import fold_text, is_unspaced, search_words

NAME, BIO, TYPO = "n:", "b:", "t:"
MAX_NAME_KEYS, MAX_BIO_KEYS, MAX_TYPO_KEYS = 60, 100, 120
MAX_KEY_LENGTH = 32
MIN_TYPO_LENGTH, MAX_TYPO_LENGTH = 4, 20

SOURCE_FIELDS = ("username", "display_name", "bio")
"""The fields of a user from which the keys are made."""

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def keys_of(*, username: str, display_name: str, bio: str) -> list[str]:
    """Return the distinct search keys of a user."""
    words = list(islice(name_words(username=username, display_name=display_name), MAX_NAME_KEYS))
    # "annalee" finds Anna Lee. The whole names get no typo keys, because they would be most of all keys.
    whole_names = [name for name in map(_joined, (display_name, username)) if name]
    typos = dict.fromkeys(typo for word in words for typo in deletions(word))
    bio_words = search_words(bio)[:MAX_BIO_KEYS]
    return [
        *(NAME + word for word in dict.fromkeys([*words, *whole_names])),
        *(BIO + word for word in bio_words),
        *(TYPO + typo for typo in islice(typos, MAX_TYPO_KEYS)),
    ]


def deletions(word: str) -> list[str]:
    """Return the word without one of its letters, for each letter. Empty for words without typo keys."""
    has_typos = MIN_TYPO_LENGTH <= len(word) <= MAX_TYPO_LENGTH and not is_unspaced(word)
    return [word[:at] + word[at + 1 :] for at in range(len(word))] if has_typos else []


def is_one_typo_apart(first: str, second: str) -> bool:
    """Return whether one letter is missing, added, wrong or swapped with its neighbour, or none."""
    if first == second:
        return True
    start = next(
        (at for at, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]),
        min(len(first), len(second)),
    )
    first, second = first[start:], second[start:]
    return (
        first[1:] == second
        or first == second[1:]
        or first[1:] == second[1:]
        or (first[:2] == second[1::-1] and first[2:] == second[2:])
    )


def name_words(*, username: str, display_name: str) -> Iterator[str]:
    """Yield the distinct words of the names and their parts."""
    split = _CAMEL_CASE.sub(" ", display_name)
    words = [*search_words(display_name), *search_words(username.replace("_", " "))]
    words += search_words(split) if split != display_name else ()
    parts = [part for word in words if not word.isalpha() for part in _PARTS.findall(word)]
    yield from dict.fromkeys([*words, *parts])


def _joined(name: str) -> str:
    return "".join(filter(str.isalnum, fold_text(name)))[: MAX_KEY_LENGTH - len(NAME)]


class SearchKeysField(ArrayField):
    """The search keys of a user, updated when the user is saved."""

    def pre_save(self, model_instance: Any, add: bool) -> list[str]:
        keys = keys_of(**{field: getattr(model_instance, field) for field in SOURCE_FIELDS})
        setattr(model_instance, self.attname, keys)
        return keys


def are_outdated_by(fields: Iterable[str]) -> bool:
    """Return whether the keys depend on one of these fields of a user."""
    return not set(SOURCE_FIELDS).isdisjoint(fields)
