"""Suggestions that somebody does not want to see again."""

from django.core.cache import cache

from accounts import selectors

KEPT_SECONDS = 180 * 86_400
MOST = 400


def dismiss_suggestion(*, viewer: int, uid: int) -> None:
    """Not to be suggested for half a year. Of two at once one may come back: it can be sent away again."""
    kept = [one for one in selectors.not_suggested(viewer=viewer) if one != uid]
    cache.set(f"not_suggested:{viewer}", [*kept, uid][-MOST:], KEPT_SECONDS)
