"""Users of the demo: four fixed users with known log-ins, and generated users."""

import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from accounts import usernames

from .languages import Language, load_handwritten, load_languages

LANGUAGE_WEIGHTS = {"en": 64, "de": 7, "es": 7, "fr": 6, "pt": 4, "ja": 5, "zh": 4, "ko": 3}
FAMILY_NAME_FIRST = {"ja", "zh", "ko"}
EMOJI = "🌱 ☕ 📚 🎧 🐈 🚲 🌊 ✨ 🙃 🔥 🍞 🎶 🌙 😅 💚 🫠 🏔️ 🍅 📷 🧵 ⚽ 🎬 🪴 🦆 🥲 🌧️ 🐕 🙌 😂 🌞".split()  # noqa: SIM905
LATIN_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "\u0131": "i", "ł": "l", "æ": "ae", "đ": "d"})


@dataclass(frozen=True, slots=True)
class Persona:
    """A user of the demo.

    ``topics`` begins with the favorite topic. ``emoji_rate`` is the fraction of posts with an emoji.
    ``profile_fields``: pairs of label and content.
    """

    username: str
    display_name: str
    bio: str
    language: str
    topics: tuple[str, ...]
    emoji: tuple[str, ...] = ()
    emoji_rate: float = 0.0
    has_header: bool = True
    profile_fields: tuple[tuple[str, str], ...] = ()


def _fixed_persona(values: dict[str, Any]) -> Persona:
    lists = {name: tuple(values[name]) for name in ("topics", "emoji")}
    fields = tuple(values["profile_fields"].items())
    return Persona(language="en", **{**values, **lists, "profile_fields": fields})


FIXED_PERSONAS = tuple(map(_fixed_persona, load_handwritten()["users"]))
ALICE = 0
"""The index of alice, whose home begins with the front page (``plan``)."""


def make_personas(*, count: int, seed: int) -> list[Persona]:
    """Return ``count`` users, the fixed users first. Always returns all fixed users.

    Each user has a generator of random numbers, so a change to one user leaves the others as they are.
    """
    taken = {persona.username for persona in FIXED_PERSONAS} | usernames.RESERVED_NAMES
    people = list(FIXED_PERSONAS)
    while len(people) < count:
        chance = random.Random(f"{seed}:person:{len(people)}")  # noqa: S311 - not a secret
        code = chance.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
        people.append(_person(chance, code, load_languages()[code], taken))
    return people


def _person(chance: random.Random, code: str, language: Language, taken: set[str]) -> Persona:
    has_male_name = chance.random() < 0.5
    name_list = "given_m" if has_male_name else "given_f"
    given_name, given_latin = _name(chance, language, name_list)
    family, family_latin = _name(chance, language, "family")
    handles = _handles(chance, _latin(given_latin), _latin(family_latin))
    username = next(handle for handle in handles if handle not in taken)
    taken.add(username)
    display_name = _display_name(chance, code, given_name, family)
    topics = [topic for topic in language.topics if code != "en" or topic != "life"]
    chance.shuffle(topics)
    if code == "en":
        topics = [*topics[:3], "life"]
    persona = Persona(
        username=username,
        display_name=display_name[:30],
        bio="" if chance.random() < 0.1 else _bio(chance, language, topics),
        language=code,
        topics=tuple(topics),
        emoji=tuple(chance.sample(EMOJI, 3)),
        emoji_rate=max(0.0, chance.gauss(0.1, 0.2)),
    )
    profile_fields = []
    if code == "en" and chance.random() < 0.3:
        profile_fields.append(("Pronouns", "he/him" if has_male_name else "she/her"))
    if chance.random() < 0.3:
        profile_fields.append(("Web", f"https://example.org/~{username}"))
    return replace(persona, has_header=chance.random() < 0.3, profile_fields=tuple(profile_fields))


def _bio(chance: random.Random, language: Language, topics: list[str]) -> str:
    """Return a beginning and, if the language has them, sentences about the first two topics."""
    sentences = [
        chance.choice(language.topics[topic].bios)
        for topic in topics[:2]
        if language.topics[topic].bios
    ]
    return language.fill_gaps(" ".join([chance.choice(language.bios), *sentences]), chance, {})


def _name(chance: random.Random, language: Language, part: str) -> tuple[str, str]:
    """Return a name in the script of the language, and the same name in Latin letters."""
    written, _, latin = chance.choice(language.words[part]).partition("=")
    return written, latin or written


def _display_name(chance: random.Random, code: str, given_name: str, family: str) -> str:
    if code in FAMILY_NAME_FIRST:
        return chance.choices(
            [family + given_name, given_name, f"{family} {given_name}"], [8, 2, 1]
        )[0]
    ways = {
        f"{given_name} {family}": 62,
        given_name: 12,
        given_name.lower(): 7,
        f"{given_name} {family[0]}.": 8,
        f"{given_name} {chance.choice(EMOJI)}": 7,
        f"{given_name} {family} {chance.choice(EMOJI)}": 4,
    }
    return chance.choices(list(ways), list(ways.values()))[0]


def _handles(chance: random.Random, given_name: str, family: str) -> Iterator[str]:
    """Yield an endless sequence of possible usernames, the most natural first."""
    ways = [
        given_name + family,
        f"{given_name}.{family}",
        f"{given_name}_{family}",
        given_name[0] + family,
        given_name,
    ]
    chance.shuffle(ways)
    for way in ways:
        yield way[: usernames.MAX_LENGTH]
    while True:
        yield f"{chance.choice(ways)[:24]}{chance.randrange(2, 9999)}"


def _latin(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().translate(LATIN_LETTERS))
    return re.sub(r"[^a-z]", "", plain) or "someone"
