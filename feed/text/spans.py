"""Find the mentions, hashtags and URLs of a text.

The rules and the conformance tests come from twitter-text (https://github.com/twitter/twitter-text).
"""

from bisect import bisect
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
    names = [*hashtags_in(text), *mentions_in(text)]
    addresses = [(0, 0), *addresses_in(text)] if names else []
    candidates = list(urls_in(text))
    for name in names:
        _start, end = addresses[bisect(addresses, (name.start, len(text))) - 1]
        if name.start >= end:
            candidates.append(name)
    spans: list[TextSpan] = []
    for span in sorted(candidates, key=attrgetter("start")):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return spans
