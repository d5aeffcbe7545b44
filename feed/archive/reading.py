"""What an archive says, item by item: each is a draft of a post, or there is a reason why it is left out.

Whatever is in there was written by somebody else: every value is looked at before it is used.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from accounts.forms import NameField
from accounts.ids.layout import EPOCH
from accounts.plaintext import clean
from feed.activities import Details
from feed.models import MAX_ALT, MAX_PICTURES, MAX_TEXT, MAX_WARNING, Post

from . import extension, words
from .addresses import host_of, host_of_site, own_post
from .jsons import damaged
from .opening import MEDIA, Source

LONGEST_ID = 2_000
PUBLIC = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")


@dataclass(frozen=True, slots=True)
class Draft:
    """A post to be. ``source``: tells it from all others of its new author. ``own``: which post of this
    site it says it is. ``pictures``: (file in the archive, description); ``files`` is how many others
    there were."""

    source: str
    own: int | None
    at: datetime
    text: str
    warning: str
    is_sensitive: bool
    visibility: str
    kind: str
    details: Details
    replies: str
    pictures: tuple[tuple[str, str], ...]
    files: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """``actor`` and ``followers``: addresses of whose archive it is. ``host``: of this site. ``until``:
    what is later has not happened yet."""

    owner: int
    source: Source
    actor: str
    followers: str
    until: datetime
    host: str = field(default_factory=lambda: host_of_site())
    used: set[str] = field(default_factory=set)

    @property
    def is_from_here(self) -> bool:
        return host_of(self.actor) == self.host

    def read(self, item: Any) -> Draft | str:
        """Or why it is left out. To be called with all items, in their order: each file is used once."""
        kind = _get(item, "type")
        if kind == "Announce":
            return "shares"
        post = _get(item, "object")
        if kind == "Create" and _get(post, "type") == "Question":
            return "polls"
        if kind != "Create" or _get(post, "type") != "Note":
            return "others"
        ours = extension.read(post)
        if ours.is_comment:
            return "comments"
        visibility = self._visibility(post)
        if not visibility:
            return "direct"
        if self._is_reply(post):
            return "replies"
        name = _text(post, "id")[: LONGEST_ID + 1]
        at = moment(_get(post, "published"))
        if at is None or not EPOCH <= at < self.until:
            return "dates"
        if not name or len(name) > LONGEST_ID:
            return "others"
        said = self._words(post)
        pictures, files = self._pictures(_get(post, "attachment"))
        if not (said or pictures or ours.details):
            return "empty"
        text = said if len(said) <= MAX_TEXT else clean(said[: MAX_TEXT - 1]) + "…"
        return Draft(
            source=hashlib.sha256(f"{self.owner}:{name}".encode("utf-8", "replace")).hexdigest()[
                :32
            ],
            own=own_post(name) if host_of(name) == self.host else None,
            at=at,
            text=text,
            warning=_warning(post),
            is_sensitive=bool(pictures) and _get(post, "sensitive") is True,
            visibility=visibility,
            kind=ours.kind,
            details=ours.details,
            replies=ours.replies,
            pictures=pictures,
            files=files,
            is_cut=text != said,
        )

    def _visibility(self, post: Any) -> str:
        to, cc = _addresses(_get(post, "to")), _addresses(_get(post, "cc"))
        if any(one in PUBLIC for one in to):
            return Post.Visibility.PUBLIC
        if any(one in PUBLIC for one in cc):
            return Post.Visibility.UNLISTED
        if self.followers and self.followers in (*to, *cc):
            return Post.Visibility.FOLLOWERS
        return ""

    def _is_reply(self, post: Any) -> bool:
        """To somebody else: what people add to their own posts stays theirs."""
        to = _get(post, "inReplyTo")
        return to is not None and not (
            isinstance(to, str) and to.startswith(self.actor.rstrip("/") + "/")
        )

    def _words(self, post: Any) -> str:
        if self.is_from_here:
            written = _get(post, "source")
            if _get(written, "mediaType") == "text/plain":
                return clean(_text(written, "content")[: words.LONGEST])
        return words.plain(html=_text(post, "content"), host=self.host)

    def _pictures(self, attached: Any) -> tuple[tuple[tuple[str, str], ...], int]:
        found: list[tuple[str, str]] = []
        others = 0
        for one in attached if isinstance(attached, list) else ():
            inside = MEDIA.search(_text(one, "url")[:LONGEST_ID])
            name = inside[0] if inside else ""
            is_image = _text(one, "mediaType").startswith("image/")
            is_new = self.source.is_picture(name) and name not in self.used
            if is_image and is_new and len(found) < MAX_PICTURES:
                self.used.add(name)
                alt = clean(_text(one, "name")[: words.LONGEST])
                found.append(
                    (name, alt if len(alt) <= MAX_ALT else clean(alt[: MAX_ALT - 1]) + "…")
                )
            else:
                others += 1
        return tuple(found), others


def reader(*, source: Source, owner: int, until: datetime) -> Reader:
    """Raises BadArchive for an archive that does not say whose it is."""
    try:
        actor = json.loads(source.read("actor.json").decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise damaged(name="actor.json") from error
    name = _text(actor, "id")
    if not name or len(name) > LONGEST_ID or not host_of(name):
        raise damaged(name="actor.json")
    return Reader(owner, source, name, _text(actor, "followers"), until)


def moment(value: Any) -> datetime | None:
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
    said = NameField().to_python(_text(post, "summary")[: words.LONGEST])
    if len(said) > MAX_WARNING:
        return f"{NameField().to_python(said[: MAX_WARNING - 1])}…"
    return said


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _text(value: Any, name: str) -> str:
    found = _get(value, name)
    return found if isinstance(found, str) else ""


def _addresses(value: Any) -> list[str]:
    many = value if isinstance(value, list) else [value]
    return [one for one in many if isinstance(one, str)]
