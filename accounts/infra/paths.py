"""Paths of views, cached: a page with a list of posts needs hundreds."""

from functools import lru_cache

from django.urls import reverse

MAX_PATHS_CACHED = 50_000


@lru_cache(maxsize=MAX_PATHS_CACHED)
def path_for(name: str, *args: object) -> str:
    """Return the path of a view with these arguments. Raises NoReverseMatch."""
    return reverse(name, args=args)
