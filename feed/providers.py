"""Data that the feed needs from apps it cannot import. These apps register functions at startup."""

from collections.abc import Callable, Collection
from typing import Any

MutedPostsProvider = Callable[[int], Collection[int]]
"""Takes a uid and returns the ids of the posts whose threads the user muted."""

PreferencesProvider = Callable[[int], dict[str, Any]]
"""Takes a uid and returns the user's preferences as JSON, for the archive."""

_muted_posts_providers: list[MutedPostsProvider] = []
_preferences_providers: dict[str, PreferencesProvider] = {}


def register_muted_posts(provider: MutedPostsProvider) -> None:
    _muted_posts_providers.append(provider)


def register_preferences(name: str, provider: PreferencesProvider) -> None:
    """Include the provider's preferences under ``name`` when users export their data."""
    _preferences_providers[name] = provider


def muted_post_ids(*, viewer: int | None) -> set[int]:
    """Return the ids of posts whose threads the viewer muted. Costs one database command per provider."""
    if viewer is None:
        return set()
    return {post for provider in _muted_posts_providers for post in provider(viewer)}


def preferences_of_apps(*, uid: int) -> dict[str, Any]:
    """Return the user's preferences from all apps, by the name each app registered."""
    return {name: provider(uid) for name, provider in _preferences_providers.items()}
