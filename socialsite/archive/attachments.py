"""Pictures, and video and audio files, as archives describe them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.infra.plain_text import clean_text
from feed.models import MAX_ALT_TEXT

from .html_text import MAX_HTML_LENGTH


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file to import. ``focus`` is as in ``Picture.focus``, None if the archive names none."""

    name: str
    alt: str
    focus: tuple[float, float] | None


def archived_file(*, name: str, attachment: Mapping[str, Any]) -> ArchivedFile:
    """Return a file of the archive with the description and focus in ``attachment``."""
    text = attachment.get("name")
    alt = clean_text(text[:MAX_HTML_LENGTH]) if isinstance(text, str) else ""
    focus = _focus(attachment.get("focalPoint"))
    return ArchivedFile(name, truncate(alt, MAX_ALT_TEXT), focus)


def truncate(text: str, max_length: int) -> str:
    """Return the text, cut after ``max_length`` characters with “…” as the last one."""
    return text if len(text) <= max_length else clean_text(text[: max_length - 1]) + "…"


def focus_json(picture: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``focalPoint``, as Mastodon writes it, of an entry of ``Post.media``."""
    return {"focalPoint": list(picture["focus"])} if picture.get("focus") else {}


def _focus(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    # The comparison also excludes NaN, which Python's JSON accepts.
    is_valid = all(type(part) in (int, float) and -1 <= part <= 1 for part in value)
    return (float(value[0]), float(value[1])) if is_valid and any(value) else None
