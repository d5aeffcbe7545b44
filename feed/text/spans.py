"""Find the mentions, hashtags and URLs of a text.

The rules and the conformance tests come from twitter-text (https://github.com/twitter/twitter-text).
"""

from .hashtags import hashtags_in
from .mentions import mentions_in
from .syntax import TextSpan
from .urls import urls_in


def spans_in(text: str) -> list[TextSpan]:
    """Return all spans in order. If two spans overlap, only the earlier span is returned."""
    candidates = [*urls_in(text), *hashtags_in(text), *mentions_in(text)]
    candidates.sort(key=lambda span: span.start)
    spans: list[TextSpan] = []
    for span in candidates:
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return spans
