"""Read the demo's sentences from ``texts/*.txt`` and fill their gaps.

A file name begins with the code of its language. The sections of a file:

* ``[topic]``: one sentence per line, with ``\\n`` for a line break
* ``[=words]``: alternatives for the gap ``{words}``, separated by bars; the gap ``{words:low}`` uses a
  lower-case first letter
* ``[tail]``: short endings of posts
* ``[reply]``: comments
* ``[bio]``: profile texts
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TEXTS_FOLDER = Path(__file__).parent / "texts"
HEADING = re.compile(r"\[(=?)(\w+)\]")
GAP = re.compile(r"\{(\w+)(:low)?\}")


@dataclass(slots=True)
class Language:
    topics: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    tails: list[str] = field(default_factory=list)
    bios: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)

    def fill_gaps(self, sentence: str, chance: random.Random, values: Mapping[str, str]) -> str:
        """Return the sentence with its gaps filled. ``values`` override the words of the file."""
        used: dict[str, set[str]] = {}

        def word(gap: re.Match[str]) -> str:
            name, low = gap.groups()
            if name in values:
                return values[name]
            # Do not repeat a word in a sentence, for example in a list of three chores.
            used_words = used.setdefault(name, set())
            unused_words = [word for word in self.words[name] if word not in used_words]
            chosen = chance.choice(unused_words or self.words[name])
            used_words.add(chosen)
            return chosen[0].lower() + chosen[1:] if low else chosen

        while GAP.search(sentence):
            sentence = GAP.sub(word, sentence)
        return sentence


@cache
def load_languages() -> dict[str, Language]:
    """Return all languages by code."""
    languages: dict[str, Language] = {}
    for path in sorted(TEXTS_FOLDER.glob("*.txt")):
        language = languages.setdefault(path.stem.partition("_")[0], Language())
        _read(path, language)
    return languages


def _read(path: Path, language: Language) -> None:
    words, lines = False, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            words = bool(heading[1])
            lines = _place(language, heading[2], words)
        elif line and not line.startswith("# "):
            bars = words or lines is language.tails or lines is language.replies
            lines += line.split(" | ") if bars else [line.replace("\\n", "\n")]


def _place(language: Language, name: str, words: bool) -> list[str]:
    if words:
        return language.words.setdefault(name, [])
    single = {"tail": language.tails, "bio": language.bios, "reply": language.replies}
    if name in single:
        return single[name]
    return language.topics.setdefault(name, [])
