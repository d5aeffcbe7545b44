"""What a text holds: whom it mentions, its hashtags and addresses.

The rules are those that twitter-text publishes, with its conformance cases
(https://github.com/twitter/twitter-text); each kind has a file of its own.
"""

from .hashtags import hashtags_in
from .mentions import mentions_in
from .syntax import TextSpan
from .urls import urls_in


def spans_in(text: str) -> list[TextSpan]:
    """All that is in the text, in its order; where two overlap, the one that begins first stays."""
    found = [*urls_in(text), *hashtags_in(text), *mentions_in(text)]
    found.sort(key=lambda entity: entity.start)
    kept: list[TextSpan] = []
    for entity in found:
        if not kept or entity.start >= kept[-1].end:
            kept.append(entity)
    return kept
