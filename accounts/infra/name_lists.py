"""Lists of names in one line, with the punctuation of the language."""

from collections.abc import Iterable

from django.utils.translation import get_language_bidi, pgettext


def join_names(names: Iterable[object], *, prefix: str = "") -> str:
    """Return names or other short texts in one line, such as "Alice, Bob", each after ``prefix``.

    In a line from right to left, a name with its prefix stays together from left to right.
    """
    start, end = ("\u2068", "\u2069") if prefix and get_language_bidi() else ("", "")
    comma = pgettext("between the names of a list", ", ")
    return comma.join(f"{start}{prefix}{name}{end}" for name in names)
