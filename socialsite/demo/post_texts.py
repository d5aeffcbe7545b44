"""Posts of the demo, composed of sentences from ``texts`` without repeating a post."""

import random
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import accumulate

from feed.models import MAX_TEXT_LENGTH

from .languages import Language, load_languages
from .personas import FIXED_PERSONAS, Persona

FIXED_POST_RATES = (0.005, 0.0045, 0.004, 0.0003)
"""The fraction of all posts that each fixed user writes."""

HASHTAG_RATE = 0.12
"""The fraction of posts that end with their topic as a hashtag."""

RECENT_SENTENCES = 90
MAX_TRIES = 12
LANGUAGES_WITHOUT_SPACES = {"ja", "zh"}
LINK_PLACES = ("notes", "blog", "photos", "log", "p", "stories", "howto", "maps")
LINK_WORDS = ("autumn", "bread", "canal", "field", "garden", "kitchen", "market", "night", "river")


def choose_authors(*, weights: Sequence[float], count: int, seed: int) -> list[int]:
    """Return the index of each post's author. Activity grows with the square root of popularity."""
    chance = random.Random(f"{seed}:authors")  # noqa: S311 - not a secret
    activity_levels = [weight**0.5 * min(chance.paretovariate(1.4), 15.0) for weight in weights]
    others = sum(activity_levels[len(FIXED_PERSONAS) :])
    activity_levels[: len(FIXED_PERSONAS)] = [others * rate for rate in FIXED_POST_RATES]
    return chance.choices(
        range(len(weights)), cum_weights=list(accumulate(activity_levels)), k=count
    )


class PostWriter:
    """Writes posts in sequence.

    ``followed`` maps the index of each author to the indexes of the users whom the author follows. Posts
    mention these users.
    """

    def __init__(
        self, *, personas: Sequence[Persona], followed: Mapping[int, Sequence[int]], seed: int
    ) -> None:
        self._chance = random.Random(f"{seed}:texts")  # noqa: S311 - not a secret
        self._people, self._followed = personas, followed
        self._decks: dict[tuple[int, str], list[str]] = {}
        self._recent: deque[str] = deque(maxlen=RECENT_SENTENCES)
        self._written: set[str] = set()

    def write(self, *, author: int) -> str:
        """Return the author's next text, at most ``MAX_TEXT_LENGTH`` characters long."""
        for _ in range(MAX_TRIES):
            text = self._compose(author)
            if text not in self._written:
                break
        self._written.add(text)
        return text

    def _compose(self, author: int) -> str:
        persona, chance = self._people[author], self._chance
        language = load_languages()[persona.language]
        topic = chance.choices(persona.topics, [0.5**n for n in range(len(persona.topics))])[0]
        size = chance.choices(("one", "with tail", "two", "long"), (70, 18, 9, 3))[0]
        text = self._sentence(author, topic, language)
        if size == "with tail":
            space = (
                "\n"
                if "\n" in text
                else ""
                if persona.language in LANGUAGES_WITHOUT_SPACES
                else " "
            )
            text += space + chance.choice(language.tails)
        for _ in range({"two": 1, "long": 3}.get(size, 0)):
            further = f"{text}\n\n{self._sentence(author, topic, language)}"
            if len(further) <= MAX_TEXT_LENGTH - 10:
                text = further
        if persona.emoji and chance.random() < persona.emoji_rate:
            text += " " + chance.choice(persona.emoji)
        if chance.random() < HASHTAG_RATE and len(text) + len(topic) < MAX_TEXT_LENGTH - 2:
            text += f" #{topic}"
        return text[:MAX_TEXT_LENGTH]

    def _sentence(self, author: int, topic: str, language: Language) -> str:
        friends = self._followed.get(author, ())
        fields = {"link": self._link()}
        if friends:
            fields["friend"] = self._people[self._chance.choice(friends)].username
        drawn = self._draw(author, topic, language, bool(friends))
        filled = language.fill_gaps(drawn, self._chance, fields)
        return filled[0].upper() + filled[1:]

    def _draw(self, author: int, topic: str, language: Language, has_friends: bool) -> str:
        """Draw a sentence that this author has not used for a long time and no author has used recently."""
        for _ in range(MAX_TRIES):
            deck = self._decks.setdefault((author, topic), [])
            if not deck:
                deck += language.topics[topic]
                self._chance.shuffle(deck)
            sentence = deck.pop()
            if sentence not in self._recent and (has_friends or "{friend}" not in sentence):
                break
        else:
            plain = [line for line in language.topics[topic] if "{friend}" not in line]
            sentence = self._chance.choice(plain)
        self._recent.append(sentence)
        return sentence

    def _link(self) -> str:
        words = "-".join(self._chance.sample(LINK_WORDS, 2))
        return f"https://example.org/{self._chance.choice(LINK_PLACES)}/{words}"
