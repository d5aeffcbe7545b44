"""What somebody searches for, taken apart: words, and phrases in quotes."""

import re
from unicodedata import category

MAX_PHRASES = 10

_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Korean: endings stick to words
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese, Japanese
    "\U00020000-\U0003ffff]"
)


def phrases_in(text: str) -> list[str]:
    """The words and phrases to look for, each once, without the punctuation around them."""
    found = (_bare(one[1] or one[2] or "") for one in _PHRASE.finditer(text))
    return list(dict.fromkeys(filter(None, found)))[:MAX_PHRASES]


def is_unspaced(text: str) -> bool:
    """Whether some of it is of a script in which blanks do not tell where words end."""
    return _UNSPACED.search(text) is not None


def _bare(phrase: str) -> str:
    """From the first letter or digit to the last, with what belongs to it; "" if there is none."""
    places = [place for place, sign in enumerate(phrase) if category(sign)[0] in "LNM"]
    return " ".join(phrase[places[0] : places[-1] + 1].split()) if places else ""
