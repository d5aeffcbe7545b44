"""Find the mentions, hashtags and URLs of a text.

The rules and the conformance tests come from twitter-text (https://github.com/twitter/twitter-text).
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter

from .hashtags import hashtags_in
from .mentions import mentions_in
from .syntax import TextSpan
from .urls import addresses_in, urls_in


def spans_in(text: str) -> list[TextSpan]:
    """Return all spans in order. If two spans overlap, only the earlier span is returned.

    Addresses contain no mentions and hashtags, even addresses that are not linked, such as those of
    ``localhost``.
    """
    names = sorted((*hashtags_in(text), *mentions_in(text)), key=attrgetter("start"))
    candidates = (*urls_in(text), *_outside_addresses(names, text))
    spans: list[TextSpan] = []
    for span in sorted(candidates, key=attrgetter("start")):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return spans


def _outside_addresses(names: Iterable[TextSpan], text: str) -> Iterator[TextSpan]:
    addresses = addresses_in(text)
    start, end = next(addresses, (len(text), len(text)))
    for name in names:
        while name.start >= end < len(text):
            start, end = next(addresses, (len(text), len(text)))
        if name.start < start:
            yield name
