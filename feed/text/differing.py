"""What has changed between two versions of a text, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Scripts that write words without spaces change sign by sign.
UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words that both versions have, or only the newer ("added"), or only the older ("removed")."""

    kind: Literal["same", "added", "removed"]
    text: str


def difference(*, old: str, new: str) -> list[Stretch]:
    """Both versions in one; without what was added it is the older, without what was removed the newer."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    found: list[Stretch] = []
    # Without autojunk, which would take the commonest words for noise.
    for _, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        removed, added = "".join(before[a:b]), "".join(after[c:d])
        if removed == added:
            found.append(Stretch("same", removed))
            continue
        if removed:
            found.append(Stretch("removed", removed))
        if added:
            found.append(Stretch("added", added))
    return found
