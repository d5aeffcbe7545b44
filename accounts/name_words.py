"""The words of a user's names, to be found by any of them.

Kept with the user in one array, for one multikey index (``store.names``).
"""

import re
from typing import Any

from django_mongodb_backend.fields import ArrayField

MOST_WORDS = 20
WORD = re.compile(r"[^\W_]+")


def words_of(*names: str) -> list[str]:
    """The words of these names as they are written, each once."""
    return list(dict.fromkeys(word for name in names for word in WORD.findall(name)))[:MOST_WORDS]


class NameWordsField(ArrayField):
    """Filled from the names whenever the user is saved."""

    def pre_save(self, model_instance: Any, add: bool) -> list[str]:
        words = words_of(model_instance.display_name, model_instance.username)
        setattr(model_instance, self.attname, words)
        return words
