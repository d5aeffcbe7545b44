"""The renderer of API responses."""

from typing import Any

import orjson
from rest_framework import renderers


class JSONRenderer(renderers.JSONRenderer):
    """Encode responses with orjson, in a tenth of the time that Python's own module needs."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        if data is None or self.get_indent(accepted_media_type or "", renderer_context or {}):
            return super().render(data, accepted_media_type, renderer_context)
        try:
            return orjson.dumps(
                data,
                default=self.encoder_class().default,
                option=orjson.OPT_PASSTHROUGH_DATETIME,
            )
        except orjson.JSONEncodeError:  # such as a number above 64 bits
            return super().render(data, accepted_media_type, renderer_context)
