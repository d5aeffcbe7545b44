"""Bodies of requests, no larger than Django takes them: the framework's own read whatever comes."""

from io import BytesIO
from typing import Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError


class FormParser(parsers.FormParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return super().parse(_bounded(parser_context), media_type, parser_context)


class JSONParser(parsers.JSONParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return super().parse(_bounded(parser_context), media_type, parser_context)
        except RecursionError as error:  # brackets without end
            raise ParseError from error


def _bounded(context: Any) -> BytesIO:
    """Raises RequestDataTooBig."""
    return BytesIO(context["request"]._request.body)
