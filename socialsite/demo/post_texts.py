"""Posts of the demo, composed of the entries in ``texts`` without repeating a post."""

import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from feed.activities import Details, activity_kind
from feed.kinds.polls import Poll
from feed.models import MAX_TEXT_LENGTH

from .languages import Entry, Language, ScriptLine, load_languages
from .personas import FIXED_PERSONAS, Persona

FIXED_POST_RATES = (0.005, 0.0045, 0.004, 0.0003)
"""The fraction of all posts that each fixed user writes."""

FORM_RATES = {"picture": 0.36, "review": 0.05, "link": 0.05, "warning": 0.015, "note": 0.525}
CONVERSATION_RATE = 0.3
"""The fraction of recent posts that begin a conversation, while there are unused conversations."""

HASHTAG_RATE = 0.25
"""The fraction of posts with an added hashtag, of the posts whose text has none."""

SHORT_SCRIPT_RATE = 0.6
"""The fraction of posts that keep their comments, of the posts that are no conversation."""

TYPO_RATE = 0.015
"""The fraction of posts whose author corrected a typing error."""

ENDING_RATE, PICTURE_ENDING_RATE = 0.22, 0.5
"""The fraction of posts with a short ending."""

PICTURE_COUNT_WEIGHTS = (74, 14, 6, 6)
RECENT_SENTENCES = 90
MAX_TRIES = 12
CLIP_FORMS = ("video", "audio")
LANGUAGES_WITHOUT_SPACES = {"ja", "zh"}
LINK_PLACES = ("notes", "blog", "photos", "log", "p", "stories", "howto", "maps")
LINK_WORDS = ("autumn", "bread", "canal", "field", "garden", "kitchen", "market", "night", "river")


@dataclass(frozen=True, slots=True)
class Draft:
    """A post that has no time and no author yet.

    Attributes:
        topic: the topic of the entry, "" if nobody else comments.
        kind: name of an activity kind, with its ``details``.
        scenes: the scene of each picture.
        script: comments that belong to this post.
        text_before_edit: the first version of an edited post, else "".
        poll_minutes: the duration of a poll, else 0.
        is_quote: True if the post quotes the post before it.
        clip: "video" or "audio" if the post has a clip, else "".
    """

    text: str
    topic: str
    kind: str = "note"
    details: Details = field(default_factory=dict)
    content_warning: str = ""
    scenes: tuple[str, ...] = ()
    script: tuple[ScriptLine, ...] = ()
    text_before_edit: str = ""
    poll_minutes: int = 0
    is_quote: bool = False
    clip: str = ""


def draft_from_entry(*, entry: Entry, topic: str) -> Draft:
    """Return the post of a filled entry, with a picture of each of its scenes."""
    draft = Draft(entry.text, topic, scenes=entry.scenes, script=entry.script)
    if entry.form == "review":
        category, title, stars = entry.fields
        values = {"item": category, "title": title.strip('"'), "stars": int(stars)}
        return replace(draft, kind="review", details=activity_kind("review").clean_details(values))
    if entry.form == "link":
        values = {"url": entry.fields[0]}
        return replace(draft, kind="link", details=activity_kind("link").clean_details(values))
    if entry.form == "poll":
        minutes, choices = entry.fields
        values = dict(zip(Poll.CHOICE_NAMES, choices.split(" / "), strict=False))
        values |= {"duration": 60 * int(minutes), "is_multiple": False, "hides_totals": False}
        details = activity_kind("poll").clean_details(values)
        return replace(draft, kind="poll", details=details, poll_minutes=int(minutes))
    if entry.form == "warning":
        return replace(draft, content_warning=entry.fields[0])
    if entry.form == "edited":
        return replace(draft, text_before_edit=entry.fields[0])
    if entry.form == "quote":
        return replace(draft, is_quote=True)
    if entry.form in CLIP_FORMS:
        return replace(draft, clip=entry.form)
    return draft


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
        self._decks: dict[tuple[int, str, str], list[Entry]] = {}
        self._conversations: dict[str, list[Entry]] = {}
        self._recent: deque[str] = deque(maxlen=RECENT_SENTENCES)
        self._written: set[str] = set()

    def write(self, *, author: int, is_recent: bool) -> Draft:
        """Return the author's next post. The text has at most ``MAX_TEXT_LENGTH`` characters."""
        persona, chance = self._people[author], self._chance
        language = load_languages()[persona.language]
        topic = chance.choices(persona.topics, [0.5**n for n in range(len(persona.topics))])[0]
        unused = self._unused_conversations(language, topic)
        if is_recent and unused and chance.random() < CONVERSATION_RATE:
            entry = language.fill_entry(unused.pop(), chance, {})
            return draft_from_entry(entry=entry, topic=topic)
        form = chance.choices(list(FORM_RATES), list(FORM_RATES.values()))[0]
        if form not in language.topics[topic].entries:
            form = "note"
        for attempt in range(MAX_TRIES):
            entry = self._draw(author, topic, form, language)
            draft = self._compose(author, topic, entry, language, needs_ending=attempt > 2)
            if draft.text not in self._written:
                break
        self._recent.append(entry.text)
        self._written.add(draft.text)
        return draft

    def _unused_conversations(self, language: Language, topic: str) -> list[Entry]:
        if topic not in self._conversations:
            entries = language.topics[topic].entries["note"]
            unused = [entry for entry in entries if entry.is_conversation]
            self._chance.shuffle(unused)
            self._conversations[topic] = unused
        return self._conversations[topic]

    def _compose(
        self, author: int, topic: str, entry: Entry, language: Language, *, needs_ending: bool
    ) -> Draft:
        """Compose a post. ``needs_ending``: add a short ending, which makes the text different."""
        persona, chance, form = self._people[author], self._chance, entry.form
        entry = language.fill_entry(entry, chance, self._values(author))
        draft = draft_from_entry(entry=entry, topic=topic)
        if chance.random() > SHORT_SCRIPT_RATE:
            draft = replace(draft, script=())
        if draft.scenes:
            count = chance.choices((1, 2, 3, 4), PICTURE_COUNT_WEIGHTS)[0]
            draft = replace(draft, scenes=tuple(chance.choices(entry.scenes, k=count)))
        text = draft.text
        endings = language.picture_tails if draft.scenes else language.tails
        ending_rate = PICTURE_ENDING_RATE if draft.scenes else ENDING_RATE
        if needs_ending or (form in ("note", "picture") and chance.random() < ending_rate):
            ending = language.fill_gaps(chance.choice(endings), chance, {})
            text = _add_ending(text, ending, persona.language)
        if persona.emoji and chance.random() < (1 if needs_ending else persona.emoji_rate):
            text += " " + chance.choice(persona.emoji)
        hashtags = language.topics[topic].hashtags
        if hashtags and "#" not in text and chance.random() < HASHTAG_RATE:
            text += " " + hashtags[0]
        if len(text) > MAX_TEXT_LENGTH:
            text = draft.text
        if form == "note" and chance.random() < TYPO_RATE:
            draft = replace(draft, text_before_edit=self._with_typo(text))
        return replace(draft, text=text)

    def _values(self, author: int) -> dict[str, str]:
        """Return the values of gaps that depend on the author."""
        values = {"link": self._link()}
        if friends := self._followed.get(author, ()):
            values["friend"] = self._people[self._chance.choice(friends)].username
        return values

    def _draw(self, author: int, topic: str, form: str, language: Language) -> Entry:
        """Draw an entry that this author has not used for a long time and no author has used recently."""
        entries = [
            entry
            for entry in language.topics[topic].entries[form]
            if (author in self._followed or "{friend}" not in entry.text)
            and not (form == "note" and entry.is_conversation)
        ]
        for _ in range(MAX_TRIES):
            deck = self._decks.setdefault((author, topic, form), [])
            if not deck:
                deck += entries
                self._chance.shuffle(deck)
            entry = deck.pop()
            if entry.text not in self._recent:
                break
        else:
            entry = self._chance.choice(entries)
        return entry

    def _link(self) -> str:
        words = "-".join(self._chance.sample(LINK_WORDS, 2))
        return f"https://example.org/{self._chance.choice(LINK_PLACES)}/{words}"

    def _with_typo(self, text: str) -> str:
        """Return the text with two letters of a long word swapped, or "" if there is no such word."""
        words = [
            word for word in text.split() if len(word) > 6 and word.isascii() and word.isalpha()
        ]
        if not words:
            return ""
        word = self._chance.choice(words)
        place = self._chance.randrange(1, len(word) - 2)
        swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        return text.replace(word, swapped, 1) if swapped != word else ""


def _add_ending(text: str, ending: str, language_code: str) -> str:
    """Insert the ending in front of the hashtags."""
    space = "" if language_code in LANGUAGES_WITHOUT_SPACES else " "
    start, sign, hashtags = text.partition(" #")
    return start + ("\n" if "\n" in start else space) + ending + sign + hashtags
