"""Endpoints for Mastodon features that this site lacks. They return empty lists."""

from typing import Any

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .serializers.accounts import Emoji


class CustomEmoji(Emoji):
    category: str | None


@endpoint(caller=Caller.ANYONE, returns=list[CustomEmoji])
def custom_emojis(request: ApiRequest) -> Any:
    """Return an empty list, because this site has no custom emoji."""
    return []
