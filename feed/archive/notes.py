"""Single posts and comments in ActivityStreams (https://www.w3.org/TR/activitystreams-vocabulary), as
Mastodon writes them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from accounts.infra.ids import time_of
from accounts.user_cards import UserCard
from feed.models import Post
from feed.store.post_rows import PostRow
from feed.store.revisions import Revision
from feed.store.user_content import ExportedComment
from feed.text import rendering
from feed.text.mentions import matching_username
from feed.text.spans import spans_in

from . import extension

PUBLIC_COLLECTION = "https://www.w3.org/ns/activitystreams#Public"
MEDIA_FOLDER = "media_attachments/files"
Visibility = Post.Visibility


@dataclass(frozen=True, slots=True)
class NoteWriter:
    """``me``: whose archive it is. ``cards``: of everybody who is named in what is written."""

    owner_card: UserCard
    cards: Mapping[int, UserCard]

    def create_activity(self, row: PostRow) -> dict[str, Any]:
        """That it was published, with all of it."""
        at = self._address(self.owner_card, row.id)
        note = self._note(
            at, row.text, row.created_at, self._audience(row.visibility, self._mentioned(row))
        )
        note |= {
            "summary": row.content_warning or None,
            "sensitive": bool(row.content_warning) or row.is_sensitive,
            "attachment": [_picture(one) for one in row.media],
        }
        if row.edited_at:
            note["updated"] = format_timestamp(row.edited_at)
        note |= extension.extension_json(
            kind=row.kind, details=row.details, reply_policy=row.reply_policy
        )
        return self._create(note)

    def previous_version(self, row: PostRow, revision: Revision, since: datetime) -> dict[str, Any]:
        """What a post said from ``since`` on, before it was edited."""
        return {
            "type": "Note",
            "url": self._address(self.owner_card, row.id),
            "attributedTo": user_url(self.owner_card),
            "summary": revision.content_warning or None,
            "content": html_paragraph(revision.text),
            "source": _source(revision.text),
            "startTime": format_timestamp(since),
            "endTime": format_timestamp(revision.replaced_at),
        }

    def announce_activity(self, row: PostRow, shared_row: PostRow) -> dict[str, Any] | None:
        """None if whose post it was is gone."""
        author = self.cards.get(shared_row.author)
        if author is None:
            return None
        return {
            "id": f"{self._address(self.owner_card, row.id)}#share",
            "type": "Announce",
            "actor": user_url(self.owner_card),
            "published": format_timestamp(row.created_at),
            **self._audience(row.visibility, []),
            "object": self._address(author, shared_row.id),
        }

    def comment_activity(self, comment: ExportedComment, post: PostRow) -> dict[str, Any] | None:
        """None if whose post it is about is gone."""
        author = self.cards.get(post.author)
        if author is None:
            return None
        told = self._audience(post.visibility, [author])
        note = self._note(
            comment_url(comment.post, comment.id), comment.text, time_of(id=comment.id), told
        )
        to = self._address(author, post.id)
        note["inReplyTo"] = (
            comment_url(comment.post, comment.parent_id) if comment.parent_id else to
        )
        if comment.edited_at:
            note["updated"] = format_timestamp(comment.edited_at)
        note |= extension.extension_json(kind=extension.COMMENT_KIND, details={}, reply_policy="")
        return self._create(note)

    def post_url(self, post: PostRow) -> str | None:
        author = self.cards.get(post.author)
        return None if author is None else self._address(author, post.id)

    def _create(self, note: dict[str, Any]) -> dict[str, Any]:
        told = {name: note[name] for name in ("published", "to", "cc")}
        return {
            "id": f"{note['id']}#create",
            "type": "Create",
            "actor": note["attributedTo"],
            **told,
            "object": note,
        }

    def _note(self, at: str, text: str, when: datetime, told: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": at,
            "type": "Note",
            "url": at,
            "attributedTo": user_url(self.owner_card),
            "published": format_timestamp(when),
            **told,
            "inReplyTo": None,
            "summary": None,
            "sensitive": False,
            "content": html_paragraph(text, self._names()),
            "source": _source(text),
            "attachment": [],
            "tag": list(self._tags(text)),
        }

    def _names(self) -> dict[str, UserCard]:
        return {card.username: card for card in self.cards.values()}

    def _tags(self, text: str) -> list[dict[str, Any]]:
        by_name = self._names()
        tags: list[dict[str, Any]] = []
        for one in spans_in(text):
            if one.kind == "hashtag":
                at = settings.SITE_URL + rendering.tag_path(one.value)
                tags.append({"type": "Hashtag", "href": at, "name": f"#{one.value}"})
            elif one.kind == "mention" and (
                card := by_name.get(matching_username(one.value, by_name))
            ):
                tags.append(
                    {"type": "Mention", "href": user_url(card), "name": f"@{full_handle(card)}"}
                )
        return tags

    def _mentioned(self, row: PostRow) -> list[UserCard]:
        uids = [one["value"] for one in row.attributes if one["kind"] == "mention"]
        return [
            self.cards[uid] for uid in dict.fromkeys((*uids, *row.recipients)) if uid in self.cards
        ]

    def _audience(self, visibility: str, mentioned: list[UserCard]) -> dict[str, Any]:
        named = [user_url(card) for card in mentioned]
        followers = f"{user_url(self.owner_card)}followers/"
        to, cc = {
            Visibility.PUBLIC.value: ([PUBLIC_COLLECTION], [followers, *named]),
            Visibility.UNLISTED.value: ([followers], [PUBLIC_COLLECTION, *named]),
            Visibility.FOLLOWERS.value: ([followers], named),
        }.get(visibility, (named, []))
        return {"to": to, "cc": cc}

    @staticmethod
    def _address(author: UserCard, post: int) -> str:
        return f"{settings.SITE_URL}{reverse('post', args=[author.username, post])}"


def user_url(card: UserCard) -> str:
    return f"{settings.SITE_URL}{card.url}"


def full_handle(card: UserCard) -> str:
    """The name by which people of other sites know somebody."""
    return f"{card.username}@{settings.SITE_URL.partition('://')[2]}"


def comment_url(post_id: int, comment_id: int) -> str:
    return f"{settings.SITE_URL}{reverse('open_comment', args=[post_id, comment_id])}"


def html_paragraph(text: str, names: Collection[str] = ()) -> str:
    """A paragraph, with whole addresses. ``names``: as in ``rendering.to_html``."""
    if not text:
        return ""
    inside = rendering.to_html(text=text, dotted_usernames=names).replace(
        'href="/', f'href="{settings.SITE_URL}/'
    )
    return f"<p>{inside}</p>"


def format_timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def media_path(name: str) -> str:
    return f"{MEDIA_FOLDER}/{name}.webp"


def _source(text: str) -> dict[str, str]:
    return {"content": text, "mediaType": "text/plain"}


def _picture(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "Document",
        "mediaType": "image/webp",
        "url": media_path(one["name"]),
        "name": one["alt"] or None,
        "width": one["width"],
        "height": one["height"],
    }
