"""Bodies of requests, no larger than Django takes them: the framework's own read whatever comes."""

import json
import re
from io import BytesIO
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import parsers
from rest_framework.exceptions import ParseError

SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
"""Half of a character outside the basic plane, as JSON escapes it. It is harmless beside its other half or
after a backslash, so a match is checked again."""


class FormParser(parsers.FormParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return super().parse(_bounded(parser_context), media_type, parser_context)


class JSONParser(parsers.JSONParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        body = _bounded(parser_context)
        try:
            data = super().parse(body, media_type, parser_context)
        except RecursionError as error:  # brackets without end
            raise ParseError from error
        if SURROGATE_ESCAPE.search(body.getvalue()) and not _can_be_stored(data):
            raise ParseError(_("The text contains half a character. Send it again in full."))
        return data


def _bounded(context: Any) -> BytesIO:
    """Raises RequestDataTooBig."""
    return BytesIO(context["request"]._request.body)


def _can_be_stored(data: Any) -> bool:
    """Whether all texts in it are valid Unicode: neither the database nor an answer takes others."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
