"""Export and import drafts and scheduled posts (``drafts.json``).

A scheduled post whose time has passed is imported as a draft without a due time.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django import forms
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from accounts.forms import SingleLineField
from accounts.infra.ids import MAX_ID
from accounts.infra.plain_text import clean_text
from accounts.infra.refusals import Refused
from accounts.models import User
from feed.activities import activity_kind
from feed.models import (
    MAX_CONTENT_WARNING,
    MAX_PICTURES,
    MAX_TEXT_LENGTH,
    Picture,
    Post,
)
from feed.post_content import Audience, PostContent
from feed.services.comment_audience import CannotComment
from feed.services.drafts import MAX_DRAFTS, MIN_AHEAD, CannotSchedule, save_draft
from feed.services.pictures import media_entry
from feed.services.posts import CannotPublish
from feed.services.quotes import CannotQuote
from feed.store import drafts
from feed.store.drafts import Draft
from feed.text.languages import base_language

from . import notes
from .drafts import MAX_ID_LENGTH, MAX_LANGUAGE_TAG, parse_timestamp
from .list_files import read_items
from .note_parts import ArchivedFile, archived_file, choice_or, focus_json, text_in
from .source import Source

FILE_NAME = "drafts.json"
MAX_VALUE_LENGTH = 2000
_OWN_PATH = re.compile(r"/drafts/([0-9]{1,19})/")


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A draft to import.

    Attributes:
        origin: a digest of the draft's address and its new owner.
        own: the id of the original draft if it was written on this site, else None.
        pictures: the pictures, or the video or audio file.
    """

    origin: str
    own: int | None
    content: PostContent
    reply_to_id: int
    keeps_audience: bool
    pictures: tuple[ArchivedFile, ...]
    due_at: datetime | None


def draft_items(*, uid: int) -> Iterator[dict[str, Any]]:
    """Yield the drafts and scheduled posts of a user, the oldest first."""
    rows = drafts.pages_of(owner=uid, after=0, limit=MAX_DRAFTS)
    ids = [picture_id for draft in rows for picture_id in draft.content.picture_ids]
    pictures = Picture.objects.in_bulk(ids)
    for draft in rows:
        yield {
            "id": f"{settings.SITE_URL}{reverse('edit_draft', args=[draft.id])}",
            **_exported(draft),
            "publish_at": draft.due_at and notes.format_timestamp(draft.due_at),
            "problem": draft.problem or None,
            "attachment": [
                {
                    "url": notes.media_path(media_entry(pictures[picture_id])),
                    "name": pictures[picture_id].alt or None,
                    **focus_json({"focus": pictures[picture_id].focus}),
                }
                for picture_id in draft.content.picture_ids
                if picture_id in pictures
            ],
        }


def _exported(draft: Draft) -> dict[str, Any]:
    """Return the content without the ids of its pictures, which mean nothing elsewhere."""
    content = draft.content.stored()
    del content["picture_ids"]
    replies = {"in_reply_to": draft.reply_to_id, "keeps_audience": draft.keeps_audience}
    values = {"values": content.pop("details"), **content.pop("audience")}
    return content | values | (replies if draft.reply_to_id else {})


def attachments(*, uid: int) -> Iterator[Mapping[str, Any]]:
    """Yield the pictures and clips of all drafts and scheduled posts, like entries of ``Post.media``."""
    pictures = Picture.objects.filter(owner=uid, post=None, draft__gt=0)
    yield from pictures.values("name", "kind")


def read_saved_drafts(*, source: Source, owner: User) -> list[SavedDraft]:
    """Return the drafts in an archive, at most ``MAX_DRAFTS``. Raises BadArchive."""
    if not source.has(FILE_NAME):
        return []
    with source.open(FILE_NAME) as file:
        values = read_items(file=file, file_name=FILE_NAME)
        objects = (value for value in values if isinstance(value, dict))
        return [_saved_draft(value, source, owner) for value in islice(objects, MAX_DRAFTS)]


def is_known(*, draft: SavedDraft, owner_id: int) -> bool:
    """Return whether the owner already has this draft, from the original or from an earlier import."""
    if draft.own is not None and drafts.exists(id=draft.own, owner=owner_id):
        return True
    return drafts.has_origin(owner=owner_id, origin=draft.origin)


def import_draft(*, draft: SavedDraft, owner_id: int, picture_ids: Sequence[int]) -> bool:
    """Save an imported draft. Return False if the owner has too many drafts."""
    due_at = draft.due_at
    if due_at is not None and due_at < timezone.now() + MIN_AHEAD + timedelta(minutes=1):
        due_at = None
    for moment in dict.fromkeys((due_at, None)):
        try:
            save_draft(
                author=owner_id,
                content=replace(draft.content, picture_ids=tuple(picture_ids)),
                reply_to_id=draft.reply_to_id,
                keeps_audience=draft.keeps_audience,
                due_at=moment,
                origin=draft.origin,
            )
        except (CannotSchedule, CannotPublish, CannotComment, CannotQuote):
            continue  # save it without a due time
        except Refused:
            return False
        return True
    return False


def _saved_draft(item: dict[str, Any], source: Source, owner: User) -> SavedDraft:
    url = _string(item, "id")
    match = _OWN_PATH.fullmatch(url.removeprefix(settings.SITE_URL))
    visibility = item.get("visibility")
    kind, values = _read_values(item.get("kind"), item.get("values"))
    digest = hashlib.sha256(f"{owner.pk}:{url}".encode("utf-8", "replace")).hexdigest()
    warning = SingleLineField().to_python(_string(item, "content_warning"))
    # The id of a post of another site means another post here.
    reply_to_id = _own_id(item, "in_reply_to") if match else 0
    return SavedDraft(
        origin=digest[:32],
        own=int(match[1]) if match else None,
        content=PostContent(
            text=clean_text(_string(item, "text"))[:MAX_TEXT_LENGTH],
            content_warning=warning[:MAX_CONTENT_WARNING],
            language=base_language(_string(item, "language")[:MAX_LANGUAGE_TAG]),
            kind=kind,
            details=values,
            quoted_id=_own_id(item, "quoted_id") if match else 0,
            audience=Audience(
                # A private visibility is the safe choice if the archive has none that this site knows.
                visibility=choice_or(
                    Post.Visibility, visibility, default=Post.Visibility.FOLLOWERS
                ),
                reply_policy=choice_or(
                    Post.ReplyPolicy, item.get("reply_policy"), default=Post.ReplyPolicy.EVERYONE
                ),
                quote_policy=choice_or(
                    Post.QuotePolicy, item.get("quote_policy"), default=owner.quote_policy
                ),
            ),
        ),
        reply_to_id=reply_to_id,
        keeps_audience=bool(reply_to_id) and item.get("keeps_audience") is True,
        pictures=_read_pictures(item.get("attachment"), source),
        due_at=parse_timestamp(item.get("publish_at")),
    )


def _own_id(item: dict[str, Any], name: str) -> int:
    value = item.get(name)
    return value if type(value) is int and 0 < value <= MAX_ID else 0


def _read_values(name: Any, values: Any) -> tuple[str, dict[str, Any]]:
    """Return the kind and the values of its fields. Values that are not valid make the draft a note."""
    kind = activity_kind(name if isinstance(name, str) else "note")
    if not (kind.is_written and kind.fields and isinstance(values, dict)):
        return "note", {}
    known = {field: values.get(field, "") for field in kind.fields}
    if not all(_is_plain(value) for value in known.values()):
        return "note", {}
    fields = kind.form_fields(known)
    for field in fields.values():
        field.required = False
    form = type("ValuesForm", (forms.Form,), fields)(known)
    return (kind.name, form.cleaned_data) if form.is_valid() else ("note", {})


def _is_plain(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and len(value) <= MAX_VALUE_LENGTH)


def _read_pictures(attachments: Any, source: Source) -> tuple[ArchivedFile, ...]:
    pictures = []
    for attachment in attachments[:MAX_PICTURES] if isinstance(attachments, list) else ():
        name = _string(attachment, "url") if isinstance(attachment, dict) else ""
        if source.has_picture(name):
            pictures.append(archived_file(name=name, attachment=attachment))
    return tuple(pictures)


def _string(item: dict[str, Any], name: str) -> str:
    return text_in(item, name)[: 4 * MAX_ID_LENGTH]
