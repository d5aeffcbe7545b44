"""Ids in URLs: in paths by a converter, in queries as cursors. Whatever is no id is refused calmly."""

from typing import Any

from django.http import HttpRequest

from .ids import MAX_ID


class IdConverter:
    """``<id:post_id>`` in a path; longer numbers than an id can be do not match."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > MAX_ID:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


def cursor_param(request: HttpRequest, name: str) -> int | None:
    """The id in ``?max_id=`` or ``?min_id=``; None when it is absent or no id."""
    return parse_id(request.GET.get(name, ""))


def page_bounds(request: HttpRequest) -> dict[str, Any]:
    """All cursors of a list that pages in both directions, by the names that selectors have for them."""
    return {name: cursor_param(request, name) for name in ("max_id", "min_id", "since_id")}


def parse_id(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 19):
        return None
    number = int(text)
    return number if number <= MAX_ID else None
