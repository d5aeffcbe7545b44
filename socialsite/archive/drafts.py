"""Parse the items of an outbox into drafts of posts.

Uploaded archives are untrusted, so every value is checked before it is used.
"""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids.layout import EPOCH
from feed.activities import Details
from feed.models import MAX_CONTENT_WARNING, MAX_PICTURES, MAX_TEXT_LENGTH, Post
from feed.post_content import PostContent
from feed.text.languages import base_language

from .note_parts import (
    ArchivedFile,
    archived_file,
    choices_of,
    cut_line,
    imported_details,
    parse_extension,
    plain_text_in,
    text_in,
    truncate,
    value_in,
)
from .site_urls import is_local, local_post_id, url_host
from .source import MEDIA_PATH, Source, damaged_file_error

MAX_ID_LENGTH = 2_000
MAX_LANGUAGE_TAG = 36
PUBLIC_ADDRESSES = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")


@dataclass(frozen=True, slots=True)
class Draft:
    """A post to import.

    Attributes:
        source_key: a digest of the post's address and its new author.
        content: without pictures and quote. Its ``quote_policy`` is "" if the archive does not say it.
        quoted_url: the address of the quoted post, "" if there is none.
        quoted_key: the ``source_key`` of the quoted post.
        quoted_at: when the quoted post was written, None unless an earlier item of the archive says so.
        own: the id of the original post if it was published on this site, else None. The import skips the
            draft if that post still exists.
        pictures: the pictures, or the video or audio file.
        other_file_count: the number of attachments that are left out.
        is_truncated: whether the original text exceeds ``MAX_TEXT_LENGTH``.
    """

    source_key: str
    own: int | None
    created_at: datetime
    content: PostContent
    is_sensitive: bool
    quoted_url: str
    quoted_key: str
    quoted_at: datetime | None
    pictures: tuple[ArchivedFile, ...]
    other_file_count: int
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class DraftParser:
    """Parses the items of one archive.

    Attributes:
        owner_id: the uid of the user who imports the archive.
        actor_url: the address of the exported account.
        followers_url: the address of the exported account's followers.
        before: posts dated at or after this time are left out.
        used_names: file names of the pictures that the parsed drafts contain.
        written_at: when the parsed drafts were written, by ``source_key``.
    """

    owner_id: int
    source: Source
    actor_url: str
    followers_url: str
    before: datetime
    used_names: set[str] = field(default_factory=set)
    written_at: dict[str, datetime] = field(default_factory=dict)

    def parse(self, activity: Any) -> Draft | str:
        """Return the draft of a post, or the reason to leave the item out, such as "replies".

        Call this for all items in the order of the outbox. If several posts name the same picture, only the
        first of these posts gets the picture.
        """
        kind = value_in(activity, "type")
        if kind == "Announce":
            return "shares"
        post = value_in(activity, "object")
        is_question = value_in(post, "type") == "Question"
        if kind != "Create" or not (is_question or value_in(post, "type") == "Note"):
            return "not_posts"
        own_fields = parse_extension(post)
        if own_fields is None:
            return "comments"
        visibility = self._read_visibility(post)
        if not visibility:
            return "direct_posts"
        if self._is_reply(post):
            return "replies"
        post_url = text_in(post, "id")[: MAX_ID_LENGTH + 1]
        created_at = parse_timestamp(value_in(post, "published"))
        if created_at is None or not EPOCH <= created_at < self.before:
            return "invalid_dates"
        if not post_url or len(post_url) > MAX_ID_LENGTH:
            return "not_posts"
        full_text = plain_text_in(post, "content", is_local=is_local(self.actor_url))
        kind, details = own_fields.kind, dict(own_fields.details)
        if is_question:
            kind, details = _read_poll(post, created_at)
            if not details:
                full_text = "\n".join(filter(None, (full_text, *choices_of(question=post))))
        pictures, other_file_count = self._read_pictures(value_in(post, "attachment"))
        if not (full_text or pictures or details):
            return "empty_posts"
        text = truncate(full_text, MAX_TEXT_LENGTH)
        source_key = self._source_key(post_url)
        self.written_at[source_key] = created_at
        quoted_url = _read_quoted_url(post)
        quoted_key = self._source_key(quoted_url) if quoted_url else ""
        return Draft(
            source_key=source_key,
            own=local_post_id(post_url),
            created_at=created_at,
            content=replace(
                own_fields,
                text=text,
                content_warning=cut_line(text_in(post, "summary"), MAX_CONTENT_WARNING),
                language=_read_language(post),
                kind=kind,
                details=details,
                audience=replace(own_fields.audience, visibility=visibility),
            ),
            is_sensitive=bool(pictures) and value_in(post, "sensitive") is True,
            quoted_url=quoted_url,
            quoted_key=quoted_key,
            quoted_at=self.written_at.get(quoted_key),
            pictures=pictures,
            other_file_count=other_file_count,
            is_truncated=text != full_text,
        )

    def _source_key(self, post_url: str) -> str:
        digest = hashlib.sha256(f"{self.owner_id}:{post_url}".encode("utf-8", "replace"))
        return digest.hexdigest()[:32]

    def _read_visibility(self, post: Any) -> str:
        """Return the visibility, or "" for a direct post."""
        to, cc = _read_addresses(value_in(post, "to")), _read_addresses(value_in(post, "cc"))
        if any(address in PUBLIC_ADDRESSES for address in to):
            return Post.Visibility.PUBLIC
        if any(address in PUBLIC_ADDRESSES for address in cc):
            return Post.Visibility.UNLISTED
        if self.followers_url and self.followers_url in (*to, *cc):
            return Post.Visibility.FOLLOWERS
        return ""

    def _is_reply(self, post: Any) -> bool:
        """Return whether the post replies to another author.

        Replies of the exported account to its own posts are imported as posts.
        """
        parent = value_in(post, "inReplyTo")
        return parent is not None and not (
            isinstance(parent, str) and parent.startswith(self.actor_url.rstrip("/") + "/")
        )

    def _read_pictures(self, attachments: Any) -> tuple[tuple[ArchivedFile, ...], int]:
        """Return the files to import, and the number of other files.

        A file that an earlier post contains is not imported again. A post has pictures or one clip: the
        first file decides.
        """
        pictures: list[ArchivedFile] = []
        other_count, has_clip = 0, False
        for attachment in attachments if isinstance(attachments, list) else ():
            match = MEDIA_PATH.search(text_in(attachment, "url")[:MAX_ID_LENGTH])
            name = match[0] if match else ""
            media_type = text_in(attachment, "mediaType")
            is_image = media_type.startswith("image/")
            is_clip = settings.CLIPS_ENABLED and media_type.startswith(("video/", "audio/"))
            is_new = self.source.has_picture(name) and name not in self.used_names
            fits = len(pictures) < MAX_PICTURES if is_image else is_clip and not pictures
            if is_new and fits and not has_clip:
                has_clip = is_clip
                self.used_names.add(name)
                pictures.append(archived_file(name=name, attachment=attachment))
            else:
                other_count += 1
        return tuple(pictures), other_count


def read_actor(*, source: Source) -> dict[str, Any]:
    """Return ``actor.json``, which has the address of the exported account as ``id``. Raises BadArchive."""
    actor = source.read_json("actor.json")
    actor_url = text_in(actor, "id")
    if not actor_url or len(actor_url) > MAX_ID_LENGTH or not url_host(actor_url):
        raise damaged_file_error(file_name="actor.json")
    return actor  # type: ignore[no-any-return]


def parse_timestamp(value: Any) -> datetime | None:
    """Parse a timestamp of ActivityStreams. Return a UTC time in whole milliseconds, or None if invalid."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _read_poll(question: dict[str, Any], published_at: datetime) -> tuple[str, Details]:
    """Return the kind and details of a question. Without details, the post is a note."""
    now = timezone.now()
    ended_at = parse_timestamp(question.get("closed")) or parse_timestamp(question.get("endTime"))
    ended_at = min(max(ended_at or published_at, published_at), now)
    details = imported_details(question=question, ended_at=ended_at)
    return ("poll", details) if details else ("note", {})


def _read_quoted_url(post: Any) -> str:
    url = text_in(post, "quote") or text_in(post, "quoteUri")
    return url if len(url) <= MAX_ID_LENGTH else ""


def _read_language(post: Any) -> str:
    """Return the language of the only translation of the text, else ""."""
    translations = value_in(post, "contentMap")
    if not isinstance(translations, dict) or len(translations) != 1:
        return ""
    return base_language(str(next(iter(translations)))[:MAX_LANGUAGE_TAG])


def _read_addresses(value: Any) -> list[str]:
    addresses = value if isinstance(value, list) else [value]
    return [address for address in addresses if isinstance(address, str)]
