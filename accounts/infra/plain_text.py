"""Cleaning of user texts before storage. Removes characters that would affect the text around them."""

import re
from collections.abc import Iterable
from itertools import groupby
from unicodedata import category, combining, normalize

import regex
from django.utils.translation import get_language_bidi, pgettext

TRIMMED_CHARACTERS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's ``trim`` removes (ECMA-262, TrimString), so that the counter in
``site.js`` agrees with the form. Python's ``strip`` removes a slightly different set."""

MAX_ACCENTS = 10
"""Maximum number of accents on a letter. Tibetan and Vedic need about eight. A higher stack of accents
would cover other posts."""

_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
_BLANKS = re.compile("[\t\v\f]")
_UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_EMBEDDINGS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_END_EMBEDDING, _END_ISOLATE = "\u202c", "\u2069"
DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction of the text after them, even beyond the end of the post."""

# No script or emoji needs more than two invisible characters in a row. Family emoji have one invisible
# character between two faces.
_NO_WIDTH = "\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_TOO_MANY = re.compile(f"([{_NO_WIDTH}]{{2}})[{_NO_WIDTH}]+")
_EDGES = TRIMMED_CHARACTERS + "\u200b\u2060"

_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")

_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_VISIBLE = regex.compile(
    # Spaces, control characters, the empty cell of Braille and marks of annotations are invisible, too.
    r"[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\u2800\ufff9-\ufffb]"
)

_COMPATIBILITY_IDEOGRAPHS = re.compile("([\uf900-\ufaff\U0002f800-\U0002fa1f]+)")
"""Variants of Chinese characters that people use in names. NFC would replace them by other variants."""


def clean_text(text: str) -> str:
    """Return the cleaned text, or "" if the text has no visible characters. Idempotent.

    The result is trimmed, has ``\\n`` as line ends, and is in NFC (see ``normalize_nfc``).
    """
    text = _BLANKS.sub(" ", _LINE_ENDS.sub("\n", text))
    text = _UNWANTED.sub("", text)
    text = "\n".join(map(_remove_unpaired_controls, text.split("\n")))
    text = _TOO_MANY.sub(r"\1", text)
    text = _limit_accents(normalize_nfc(text))
    text = _EMPTY_LINES.sub("\n\n\n", text).strip(_EDGES)
    return text if _VISIBLE.search(text) else ""


def is_ignorable(char: str) -> bool:
    """Return whether a character is invisible by itself, such as a joiner or a filler."""
    return _IGNORABLE.match(char) is not None


def normalize_nfc(text: str) -> str:
    """Return the text in Unicode's composed form NFC (UAX #15): equal texts become equal strings.

    Compatibility ideographs stay. Otherwise the result equals that of ``unicodedata.normalize``, but takes
    linear time.

    Python sorts the accents of a letter in quadratic time. 100,000 accents, alternately above and below the
    letter, took 20 seconds. This function sorts the accents first, so that Python has nothing left to sort.
    """
    if text.isascii():
        return text
    return "".join(
        part if _COMPATIBILITY_IDEOGRAPHS.match(part) else _compose(part)
        for part in _COMPATIBILITY_IDEOGRAPHS.split(text)
    )


def fold_case(text: str) -> str:
    """Return the text without differences of case and character width. Idempotent.

    Tags, filters and the search compare with this function. All letters "i" are equal, with and without a
    dot, because Turkish pairs them otherwise. "\u00df" is "ss".
    """
    if text.isascii():
        return text.lower()
    folded = normalize_nfc(normalize("NFKC", normalize_nfc(text)).casefold())
    return normalize_nfc(re.sub("[i\u0131]\u0307*", "i", folded))


def _compose(text: str) -> str:
    decomposed = "".join(normalize("NFD", char) for char in text)
    runs = groupby(decomposed, key=lambda char: combining(char) > 0)
    sorted_runs = (sorted(run, key=combining) if is_accent else run for is_accent, run in runs)
    return normalize("NFC", "".join(char for run in sorted_runs for char in run))


def _remove_unpaired_controls(line: str) -> str:
    """Remove direction controls that have no partner in the same line.

    Pairs controls as Unicode's bidirectional algorithm does (UAX #9, BD8 to BD11). The end of an isolate
    also closes the embeddings inside the isolate. The end of the line closes everything.
    """
    if not DIRECTION_CONTROLS.search(line):
        return line
    opened: list[int] = []
    isolates = 0
    paired: set[int] = set()
    for i, char in enumerate(line):
        if char in _EMBEDDINGS or char in _ISOLATES:
            opened.append(i)
            isolates += char in _ISOLATES
        elif char == _END_EMBEDDING and opened and line[opened[-1]] in _EMBEDDINGS:
            paired |= {opened.pop(), i}
        elif char == _END_ISOLATE and isolates:
            while line[opened[-1]] in _EMBEDDINGS:
                opened.pop()
            paired |= {opened.pop(), i}
            isolates -= 1
    return "".join(
        char for i, char in enumerate(line) if i in paired or not DIRECTION_CONTROLS.match(char)
    )


def _limit_accents(text: str) -> str:
    chars: list[str] = []
    accents = 0
    for char in text:
        accents = accents + 1 if category(char)[0] == "M" else 0
        if accents <= MAX_ACCENTS:
            chars.append(char)
    return "".join(chars)


def join_names(names: Iterable[object], *, prefix: str = "") -> str:
    """Return names or other short texts in one line, such as "Alice, Bob", each after ``prefix``.

    In a line from right to left, a name with its prefix stays together from left to right.
    """
    start, end = ("\u2068", "\u2069") if prefix and get_language_bidi() else ("", "")
    comma = pgettext("between the names of a list", ", ")
    return comma.join(f"{start}{prefix}{name}{end}" for name in names)
