"""What an archive says, item by item: each is a draft of a post, or there is a reason why it is left out.

Whatever is in there was written by somebody else: every value is looked at before it is used.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from accounts.forms import SingleLineField
from accounts.infra.ids.layout import EPOCH
from accounts.infra.plain_text import clean_text
from feed.activities import Details
from feed.models import MAX_ALT_TEXT, MAX_CONTENT_WARNING, MAX_PICTURES, MAX_TEXT_LENGTH, Post

from . import extension, html_text
from .json_lists import damaged_file_error
from .site_urls import local_post_id, site_host, url_host
from .source import MEDIA_PATH, Source

MAX_ID_LENGTH = 2_000
PUBLIC_ADDRESSES = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")


@dataclass(frozen=True, slots=True)
class Draft:
    """A post to be. ``source``: tells it from all others of its new author. ``own``: which post of this
    site it says it is. ``pictures``: (file in the archive, description); ``files`` is how many others
    there were."""

    source_key: str
    own: int | None
    created_at: datetime
    text: str
    content_warning: str
    is_sensitive: bool
    visibility: str
    kind: str
    details: Details
    reply_policy: str
    pictures: tuple[tuple[str, str], ...]
    other_file_count: int
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class DraftParser:
    """``actor`` and ``followers``: addresses of whose archive it is. ``host``: of this site. ``until``:
    what is later has not happened yet."""

    owner_id: int
    source: Source
    actor_url: str
    followers_url: str
    before: datetime
    host: str = field(default_factory=lambda: site_host())
    used_names: set[str] = field(default_factory=set)

    @property
    def is_local(self) -> bool:
        return url_host(self.actor_url) == self.host

    def parse(self, item: Any) -> Draft | str:
        """Or why it is left out. To be called with all items, in their order: each file is used once."""
        kind = _get(item, "type")
        if kind == "Announce":
            return "shares"
        post = _get(item, "object")
        if kind == "Create" and _get(post, "type") == "Question":
            return "polls"
        if kind != "Create" or _get(post, "type") != "Note":
            return "others"
        ours = extension.parse_extension(post)
        if ours.is_comment:
            return "comments"
        visibility = self._visibility(post)
        if not visibility:
            return "direct"
        if self._is_reply(post):
            return "replies"
        name = _text(post, "id")[: MAX_ID_LENGTH + 1]
        at = parse_timestamp(_get(post, "published"))
        if at is None or not EPOCH <= at < self.before:
            return "dates"
        if not name or len(name) > MAX_ID_LENGTH:
            return "others"
        said = self._words(post)
        pictures, files = self._pictures(_get(post, "attachment"))
        if not (said or pictures or ours.details):
            return "empty"
        text = (
            said if len(said) <= MAX_TEXT_LENGTH else clean_text(said[: MAX_TEXT_LENGTH - 1]) + "…"
        )
        return Draft(
            source_key=hashlib.sha256(
                f"{self.owner_id}:{name}".encode("utf-8", "replace")
            ).hexdigest()[:32],
            own=local_post_id(name) if url_host(name) == self.host else None,
            created_at=at,
            text=text,
            content_warning=_warning(post),
            is_sensitive=bool(pictures) and _get(post, "sensitive") is True,
            visibility=visibility,
            kind=ours.kind,
            details=ours.details,
            reply_policy=ours.reply_policy,
            pictures=pictures,
            other_file_count=files,
            is_truncated=text != said,
        )

    def _visibility(self, post: Any) -> str:
        to, cc = _addresses(_get(post, "to")), _addresses(_get(post, "cc"))
        if any(one in PUBLIC_ADDRESSES for one in to):
            return Post.Visibility.PUBLIC
        if any(one in PUBLIC_ADDRESSES for one in cc):
            return Post.Visibility.UNLISTED
        if self.followers_url and self.followers_url in (*to, *cc):
            return Post.Visibility.FOLLOWERS
        return ""

    def _is_reply(self, post: Any) -> bool:
        """To somebody else: what people add to their own posts stays theirs."""
        to = _get(post, "inReplyTo")
        return to is not None and not (
            isinstance(to, str) and to.startswith(self.actor_url.rstrip("/") + "/")
        )

    def _words(self, post: Any) -> str:
        if self.is_local:
            written = _get(post, "source")
            if _get(written, "mediaType") == "text/plain":
                return clean_text(_text(written, "content")[: html_text.MAX_HTML_LENGTH])
        return html_text.html_to_text(html=_text(post, "content"), host=self.host)

    def _pictures(self, attached: Any) -> tuple[tuple[tuple[str, str], ...], int]:
        found: list[tuple[str, str]] = []
        others = 0
        for one in attached if isinstance(attached, list) else ():
            inside = MEDIA_PATH.search(_text(one, "url")[:MAX_ID_LENGTH])
            name = inside[0] if inside else ""
            is_image = _text(one, "mediaType").startswith("image/")
            is_new = self.source.has_picture(name) and name not in self.used_names
            if is_image and is_new and len(found) < MAX_PICTURES:
                self.used_names.add(name)
                alt = clean_text(_text(one, "name")[: html_text.MAX_HTML_LENGTH])
                found.append(
                    (
                        name,
                        alt
                        if len(alt) <= MAX_ALT_TEXT
                        else clean_text(alt[: MAX_ALT_TEXT - 1]) + "…",
                    )
                )
            else:
                others += 1
        return tuple(found), others


def draft_parser(*, source: Source, owner_id: int, before: datetime) -> DraftParser:
    """Raises BadArchive for an archive that does not say whose it is."""
    try:
        actor = json.loads(source.read_small("actor.json").decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(file_name="actor.json") from error
    name = _text(actor, "id")
    if not name or len(name) > MAX_ID_LENGTH or not url_host(name):
        raise damaged_file_error(file_name="actor.json")
    return DraftParser(owner_id, source, name, _text(actor, "followers"), before)


def parse_timestamp(value: Any) -> datetime | None:
    """A moment as ActivityStreams writes it, in UTC, to the millisecond; None for what is none."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        found = datetime.fromisoformat(value)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found.replace(microsecond=found.microsecond // 1000 * 1000)


def _warning(post: Any) -> str:
    said = SingleLineField().to_python(_text(post, "summary")[: html_text.MAX_HTML_LENGTH])
    if len(said) > MAX_CONTENT_WARNING:
        return f"{SingleLineField().to_python(said[: MAX_CONTENT_WARNING - 1])}…"
    return said


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _text(value: Any, name: str) -> str:
    found = _get(value, name)
    return found if isinstance(found, str) else ""


def _addresses(value: Any) -> list[str]:
    many = value if isinstance(value, list) else [value]
    return [one for one in many if isinstance(one, str)]
