"""Data that apps above the feed provide to it. They register a function when Django starts."""

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
    """Export the preferences under ``name``."""
    _preferences_providers[name] = provider


def muted_post_ids(*, viewer: int | None) -> set[int]:
    """Return the ids of posts whose threads the viewer muted. Costs one database command."""
    if viewer is None:
        return set()
    return {post for provider in _muted_posts_providers for post in provider(viewer)}


def preferences_of_apps(*, uid: int) -> dict[str, Any]:
    """Return the user's preferences by the name under which an app registered them."""
    return {name: provider(uid) for name, provider in _preferences_providers.items()}
