"""JSON and forms: how requests are read, and responses are written.

The parsers apply Django's size limit. DRF's own parsers have no limit.
"""

import json
import re
from io import BytesIO
from typing import Any

import orjson
from django.utils.translation import gettext as _
from rest_framework import parsers, renderers
from rest_framework.exceptions import NotAcceptable, ParseError
from rest_framework.negotiation import DefaultContentNegotiation

SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
"""The JSON escape of a surrogate, which is half of a character such as an emoji. A match is harmless if the
other half follows, or if a backslash before the match turns it into plain text. So the parser checks the
decoded text."""


class FormParser(parsers.FormParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return super().parse(_read_body(parser_context), media_type, parser_context)


class JSONParser(parsers.JSONParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        body = _read_body(parser_context)
        try:
            data = super().parse(body, media_type, parser_context)
        except RecursionError as error:  # brackets nested too deeply
            raise ParseError from error
        if SURROGATE_ESCAPE.search(body.getvalue()) and not _can_be_stored(data):
            raise ParseError(
                _("The text contains an incomplete character. Send the complete text.")
            )
        return data


def _read_body(context: Any) -> BytesIO:
    """Return the body as a stream. Raises RequestDataTooBig if the body exceeds Django's limit."""
    return BytesIO(context["request"]._request.body)


def _can_be_stored(data: Any) -> bool:
    """Return whether all texts are valid Unicode. The database cannot store any other text."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


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
