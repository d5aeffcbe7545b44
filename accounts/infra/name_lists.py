"""Lists of names in one line, with the punctuation of the language."""

from collections.abc import Iterable

from django.utils.translation import pgettext


def join_names(names: Iterable[object], *, prefix: str = "") -> str:
    """Return names or other short texts in one line, such as "Alice, Bob", each after ``prefix``."""
    return pgettext("between the names of a list", ", ").join(f"{prefix}{name}" for name in names)
