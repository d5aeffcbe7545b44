"""Read the texts of the demo from ``texts/*.txt`` and fill their gaps.

A file name begins with the code of its language. Sections begin with a heading:

* ``[topic] #tag``: posts about a topic, one per line, with ``\\n`` for a line break
* ``[topic / picture scene scene]``: posts with pictures of these scenes (``motifs.SCENES``)
* ``[topic / review]``: lines ``item | title | stars | text``
* ``[topic / link]``: lines ``URL | text``
* ``[topic / warning]``: lines ``content warning | text``
* ``[topic / reply]``: comments that fit any post about the topic
* ``[topic / bio]``: sentences for profiles
* ``[=words]``: alternatives for the gap ``{words}``, separated by bars; the gap ``{words:low}`` uses a
  lower-case first letter
* ``[tail]`` and ``[picture_tail]``: short endings of posts
* ``[reply]``: comments on posts whose topic has none; ``[picture_reply]``: comments on pictures
* ``[bio]``: beginnings of profiles

Comments follow their post, two spaces deeper, and replies are four spaces deeper. A letter and a colon name
the speaker: ``A`` is the author of the post.

``texts/front_page.txt`` has the same format, but each heading begins with the author of the post
(``plan``). There, ``edited`` stands before lines ``text before the edit | text``, and ``poll`` before
lines ``minutes | choice / choice | text``. A post with ``quote`` quotes the post below it. A post with
``video`` or ``audio`` has a clip (``clips``). After ``speaker privately:``, only the users whom a comment
mentions can read it.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

TEXTS_FOLDER = Path(__file__).parent / "texts"
FRONT_PAGE = TEXTS_FOLDER / "front_page.txt"
HEADING = re.compile(r"\[(=?)([^\]]+)\] *(.*)")
COMMENT = re.compile(r"(\w+)( privately)?: (.+)")
GAP = re.compile(r"\{(\w+)(:low)?\}")
FIELD_COUNTS = {"review": 3, "link": 1, "warning": 1, "edited": 1, "poll": 2}
"""The number of fields in front of the text, separated by bars."""


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A comment of an entry. ``speaker`` is a letter or the name of a user with a log-in.

    ``is_private``: only the users whom the comment mentions can read it.
    """

    speaker: str
    text: str
    is_reply: bool
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A post with its comments.

    Attributes:
        form: "note", "picture", or another form of ``FIELD_COUNTS`` or of a heading.
        fields: the parts of the line in front of the text.
        scenes: scenes of the pictures.
        script: the comments, in order.
    """

    text: str
    form: str = "note"
    fields: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    script: tuple[ScriptLine, ...] = ()

    @property
    def is_conversation(self) -> bool:
        return len(self.script) > 1


@dataclass(slots=True)
class Topic:
    """The texts about a topic. ``entries`` has lists by form. The first hashtag fits every post."""

    hashtags: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    bios: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Language:
    topics: dict[str, Topic] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    tails: list[str] = field(default_factory=list)
    picture_tails: list[str] = field(default_factory=list)
    bios: list[str] = field(default_factory=list)
    replies: list[Entry] = field(default_factory=list)
    picture_replies: list[Entry] = field(default_factory=list)

    def fill_entry(self, entry: Entry, chance: random.Random, values: Mapping[str, str]) -> Entry:
        """Return the entry with its gaps filled. Comments repeat the words of the post."""
        chosen = dict(values)
        fields = tuple(self.fill_gaps(part, chance, chosen) for part in entry.fields)
        text = self.fill_gaps(entry.text, chance, chosen)
        script = tuple(
            replace(line, text=_capitalize(self.fill_gaps(line.text, chance, chosen)))
            for line in entry.script
        )
        return replace(entry, fields=fields, text=_capitalize(text), script=script)

    def fill_gaps(self, sentence: str, chance: random.Random, values: dict[str, str]) -> str:
        """Return the sentence with its gaps filled.

        ``values`` override the words of the file. The first word for each other gap is added to them.
        """
        used: dict[str, set[str]] = {}
        overrides = dict(values)

        def word(gap: re.Match[str]) -> str:
            name, low = gap.groups()
            if name in overrides:
                return overrides[name]
            # Do not repeat a word in a sentence, for example in a list of three chores.
            used_words = used.setdefault(name, set())
            unused_words = [word for word in self.words[name] if word not in used_words]
            chosen = chance.choice(unused_words or self.words[name])
            used_words.add(chosen)
            values.setdefault(name, chosen)
            return chosen[0].lower() + chosen[1:] if low else chosen

        while GAP.search(sentence):
            sentence = GAP.sub(word, sentence)
        return sentence


@cache
def load_languages() -> dict[str, Language]:
    """Return all languages by code."""
    languages: dict[str, Language] = {}
    for path in sorted(TEXTS_FOLDER.glob("*.txt")):
        if path != FRONT_PAGE:
            language = languages.setdefault(path.stem.partition("_")[0], Language())
            for heading, lines in _sections(path):
                _add_section(language, heading, lines)
    return languages


@cache
def load_front_page() -> list[tuple[str, str, Entry]]:
    """Return (author, topic, entry) of each post, newest first."""
    posts = []
    for heading, lines in _sections(FRONT_PAGE):
        author, *parts = heading[2].split(" / ")
        # A share has no text and no topic.
        topic, *parts = parts if parts != ["share"] else ["", "share"]
        posts += [(author, topic, entry) for entry in _entries(parts, lines or [""])]
    return posts


@cache
def load_handwritten() -> dict[str, Any]:
    """Return ``handwritten.toml``: users with log-ins, conversations, drafts, link cards and rules."""
    return tomllib.loads((TEXTS_FOLDER / "handwritten.toml").read_text("utf-8"))


def _sections(path: Path) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield each heading of a file with its lines, without comments and empty lines."""
    heading: re.Match[str] | None = None
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := HEADING.fullmatch(line):
            if heading:
                yield heading, lines
            heading, lines = match, []
        elif line and not line.startswith("# "):
            lines.append(line)
    if heading:
        yield heading, lines


def _add_section(language: Language, heading: re.Match[str], lines: list[str]) -> None:
    is_words, name, hashtags = heading.groups()
    alternatives = [part for line in lines for part in line.split(" | ")]
    endings = {"tail": language.tails, "picture_tail": language.picture_tails}
    if is_words:
        language.words.setdefault(name, []).extend(alternatives)
    elif name in endings:
        endings[name] += alternatives
    elif name == "bio":
        language.bios += lines
    elif name in ("reply", "picture_reply"):
        replies = language.replies if name == "reply" else language.picture_replies
        replies += map(Entry, alternatives)
    else:
        topic_name, *parts = name.split(" / ")
        topic = language.topics.setdefault(topic_name, Topic())
        topic.hashtags += [tag for tag in hashtags.split() if tag not in topic.hashtags]
        if parts == ["bio"]:
            topic.bios += lines
            return
        for entry in _entries(parts, lines):
            topic.entries.setdefault(entry.form, []).append(entry)


def _entries(parts: list[str], lines: list[str]) -> list[Entry]:
    """Return the entries of a section. ``parts``: the heading without its beginning."""
    form, scenes = "note", tuple[str, ...]()
    for part in parts:
        word, *names = part.split()
        if word == "picture":
            scenes = tuple(names)
        else:
            form = word
    if form == "note" and scenes:
        form = "picture"
    entries: list[Entry] = []
    for line in lines:
        text = line.replace("\\n", "\n")
        if not line.startswith(" "):
            *fields, text = text.split(" | ", FIELD_COUNTS.get(form, 0))
            entries.append(Entry(text, form, tuple(fields), scenes))
        elif match := COMMENT.fullmatch(text.strip()):
            speaker, privately, text = match.groups()
            is_reply = line.startswith("    ") or form == "reply"
            script_line = ScriptLine(speaker, text, is_reply, bool(privately))
            entries[-1] = replace(entries[-1], script=(*entries[-1].script, script_line))
        else:
            raise ValueError(f"The comment has no speaker: {line!r}")
    return entries


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
