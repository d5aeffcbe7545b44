"""A text as it is kept: what people see of it, without what only harms its neighbours."""

import re
from itertools import groupby
from unicodedata import category, combining, normalize

TRIMMED_CHARACTERS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript's ``trim`` takes off (ECMA-262, TrimString), so that the counter in ``site.js`` counts as
the form does. Python's ``strip`` takes a little else."""

MAX_ACCENTS = 10
"""Accents on one letter. Tibetan and Vedic need most, about eight; more only smears over other posts."""

_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
_BLANKS = re.compile("[\t\v\f]")
_UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_EMBEDDINGS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_END_EMBEDDING, _END_ISOLATE = "\u202c", "\u2069"
DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What turns the direction of the words after it, also of those that are somebody else's."""

# Two of them in a row are more than any script or emoji needs: families have one between two faces.
_NO_WIDTH = "\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_TOO_MANY = re.compile(f"([{_NO_WIDTH}]{{2}})[{_NO_WIDTH}]+")
_EDGES = TRIMMED_CHARACTERS + "\u200b\u2060"

_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")

_SHOWS_NOTHING = {"Zs", "Zl", "Zp", "Cc", "Cf"}
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0") | {
    chr(n) for n in range(0xFE00, 0xFE10)
}


def clean_text(text: str) -> str:
    """The text to keep: NFC, ``\\n`` at line ends, trimmed; "" where all of it is invisible.

    Cleaning what is clean changes nothing.
    """
    text = _BLANKS.sub(" ", _LINE_ENDS.sub("\n", text))
    text = _UNWANTED.sub("", text)
    text = "\n".join(map(_balanced, text.split("\n")))
    text = _TOO_MANY.sub(r"\1", text)
    text = _without_smears(normalize_nfc(text))
    text = _EMPTY_LINES.sub("\n\n\n", text).strip(_EDGES)
    visible = any(category(one) not in _SHOWS_NOTHING and one not in _FILLERS for one in text)
    return text if visible else ""


def _balanced(line: str) -> str:
    """The line without those turns of direction that it does not end itself, and ends of none.

    As Unicode's bidirectional algorithm pairs them (UAX #9, BD8 to BD11): the end of an isolate also ends
    what was opened inside; all ends with the line.
    """
    if not DIRECTION_CONTROLS.search(line):
        return line
    opened: list[int] = []
    isolates = 0
    paired: set[int] = set()
    for i, one in enumerate(line):
        if one in _EMBEDDINGS or one in _ISOLATES:
            opened.append(i)
            isolates += one in _ISOLATES
        elif one == _END_EMBEDDING and opened and line[opened[-1]] in _EMBEDDINGS:
            paired |= {opened.pop(), i}
        elif one == _END_ISOLATE and isolates:
            while line[opened[-1]] in _EMBEDDINGS:
                opened.pop()
            paired |= {opened.pop(), i}
            isolates -= 1
    return "".join(
        one for i, one in enumerate(line) if i in paired or not DIRECTION_CONTROLS.match(one)
    )


def _without_smears(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for one in text:
        marks = marks + 1 if category(one)[0] == "M" else 0
        if marks <= MAX_ACCENTS:
            kept.append(one)
    return "".join(kept)


# MERGED FROM accounts.infra.plain_text: NFC for texts of strangers.  Python's own sorts the accents behind a letter by exchanging neighbours: 100,000 of them in turn above and below took it 20 seconds. Sorted first, they cost no more than other characters.
def normalize_nfc(text: str) -> str:
    """The text in NFC (UAX #15), as ``unicodedata.normalize`` gives it, in time linear in its length."""
    if text.isascii():
        return text
    apart = "".join(normalize("NFD", one) for one in text)
    runs = groupby(apart, key=lambda one: combining(one) > 0)
    ordered = (sorted(run, key=combining) if accents else run for accents, run in runs)
    return normalize("NFC", "".join(one for run in ordered for one in run))
