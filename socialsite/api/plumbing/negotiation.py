"""Content negotiation: the API answers in JSON, whatever a client accepts."""

from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation


class JsonNegotiation(DefaultContentNegotiation):
    """Choose JSON for clients that accept only other types, such as browsers and event streams."""

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[Any, str]:
        try:
            chosen: tuple[Any, str] = super().select_renderer(request, renderers, format_suffix)
            return chosen
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
