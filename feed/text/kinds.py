"""What is found in a text. Apart from ``entities``, which imports the finders, as they import this."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["mention", "hashtag", "url"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of a text that means something: ``text[start:end]``, counted in code points.

    ``value`` is the name without its @, the tag without its #, or the address, each as it was typed.
    """

    kind: Kind
    start: int
    end: int
    value: str
