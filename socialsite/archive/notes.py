"""Formats single posts and comments as JSON objects of ActivityStreams, like Mastodon.

ActivityStreams is a standard for social data that other sites can import
(https://www.w3.org/TR/activitystreams-vocabulary).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from accounts.infra.ids import time_of
from accounts.user_cards import UserCard
from feed.models import Post
from feed.store.comment_rows import Comment
from feed.store.post_rows import PostRow
from feed.store.revisions import Revision
from feed.text import renderer
from feed.text.mentions import matching_username
from feed.text.spans import spans_in

from .note_parts import COMMENT_EXTENSION, focus_json, post_extension, question_json

PUBLIC_COLLECTION = "https://www.w3.org/ns/activitystreams#Public"
MEDIA_FOLDER = "media_attachments/files"
MEDIA_TYPES = {
    "image": ("image/webp", "webp"),
    "video": ("video/mp4", "mp4"),
    "audio": ("audio/mp4", "m4a"),
}
"""The type and the ending of files by kind."""

Visibility = Post.Visibility


@dataclass(frozen=True, slots=True)
class NoteWriter:
    """Writes the activities of the user of ``owner_card``.

    ``cards`` has the authors of the posts and the mentioned users, by uid. Users without a card are left
    out.
    """

    owner_card: UserCard
    cards: Mapping[int, UserCard]

    def create_activity(self, row: PostRow, quoted_row: PostRow | None = None) -> dict[str, Any]:
        """Return the Create activity of a post. ``quoted_row``: the post that it quotes."""
        recipients = self._audience(row.visibility, self._mentioned_cards(row))
        url = self._post_url(self.owner_card, row.id)
        note = self._note(url, row, row.created_at, recipients)
        note["sensitive"] |= row.is_sensitive
        note["attachment"] = [_picture_json(picture) for picture in row.media]
        if row.language:
            note["contentMap"] = {row.language: note["content"]}
        details = row.details
        if row.kind == "poll":
            note |= question_json(details=details)
            details = {}
        note |= post_extension(row=row, details=details)
        if quoted_row is not None and (quoted_url := self.post_url(quoted_row)):
            note |= {"quote": quoted_url, "quoteUri": quoted_url}
        return self._create(note)

    def previous_version(self, row: PostRow, revision: Revision, since: datetime) -> dict[str, Any]:
        """Return an earlier version of a post, which was visible from ``since`` until ``replaced_at``.

        Pictures that were removed from the post have a description, but no file.
        """
        names = {picture["id"]: picture["name"] for picture in row.media}
        return {
            "type": "Note",
            "url": self._post_url(self.owner_card, row.id),
            "attributedTo": user_url(self.owner_card),
            "summary": revision.content_warning or None,
            "content": html_paragraph(revision.text),
            "source": _source(revision.text),
            "attachment": [
                _picture_json({**picture, "name": names.get(picture["id"])})
                for picture in revision.media or ()
            ],
            "startTime": format_timestamp(since),
            "endTime": format_timestamp(revision.replaced_at),
            **revision.details,
        }

    def announce_activity(self, row: PostRow, shared_row: PostRow) -> dict[str, Any] | None:
        """Return the Announce activity of a share, or None if the author of the shared post has no card."""
        author = self.cards.get(shared_row.author)
        if author is None:
            return None
        return {
            "id": f"{self._post_url(self.owner_card, row.id)}#share",
            "type": "Announce",
            "actor": user_url(self.owner_card),
            "published": format_timestamp(row.created_at),
            **self._audience(row.visibility, []),
            "object": self._post_url(author, shared_row.id),
        }

    def comment_activity(self, comment: Comment, post: PostRow) -> dict[str, Any] | None:
        """Return the Create activity of a comment, or None if the author of the post has no card."""
        author = self.cards.get(post.author)
        if author is None:
            return None
        recipients = self._audience(post.visibility, [author])
        if comment.visibility:
            cards = [self.cards[uid] for uid in comment.recipients if uid in self.cards]
            recipients = self._audience(comment.visibility, cards)
        url = comment_url(comment.post, comment.id)
        note = self._note(url, comment, time_of(id=comment.id), recipients)
        note["inReplyTo"] = (
            comment_url(comment.post, comment.parent_id)
            if comment.parent_id
            else self._post_url(author, post.id)
        )
        note |= COMMENT_EXTENSION
        return self._create(note)

    def post_url(self, post: PostRow) -> str | None:
        author = self.cards.get(post.author)
        return None if author is None else self._post_url(author, post.id)

    def _create(self, note: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"{note['id']}#create",
            "type": "Create",
            "actor": note["attributedTo"],
            **{name: note[name] for name in ("published", "to", "cc")},
            "object": note,
        }

    def _note(
        self,
        url: str,
        content: PostRow | Comment,
        published_at: datetime,
        recipients: dict[str, Any],
    ) -> dict[str, Any]:
        edited_at = content.edited_at
        cards = {card.username: card for card in self.cards.values()}
        return {
            "id": url,
            "type": "Note",
            "url": url,
            "attributedTo": user_url(self.owner_card),
            "published": format_timestamp(published_at),
            **recipients,
            "inReplyTo": None,
            "summary": content.content_warning or None,
            "sensitive": bool(content.content_warning),
            "content": html_paragraph(content.text, cards),
            "source": _source(content.text),
            "attachment": [],
            "tag": _tags(content.text, cards),
            **({"updated": format_timestamp(edited_at)} if edited_at else {}),
        }

    def _mentioned_cards(self, row: PostRow) -> list[UserCard]:
        uids = [
            attribute["value"] for attribute in row.attributes if attribute["kind"] == "mention"
        ]
        return [
            self.cards[uid] for uid in dict.fromkeys((*uids, *row.recipients)) if uid in self.cards
        ]

    def _audience(self, visibility: str, mentioned: list[UserCard]) -> dict[str, Any]:
        mentioned_urls = [user_url(card) for card in mentioned]
        followers = f"{user_url(self.owner_card)}followers/"
        to, cc = {
            Visibility.PUBLIC.value: ([PUBLIC_COLLECTION], [followers, *mentioned_urls]),
            Visibility.UNLISTED.value: ([followers], [PUBLIC_COLLECTION, *mentioned_urls]),
            Visibility.FOLLOWERS.value: ([followers], mentioned_urls),
        }.get(visibility, (mentioned_urls, []))
        return {"to": to, "cc": cc}

    @staticmethod
    def _post_url(author: UserCard, post_id: int) -> str:
        return f"{settings.SITE_URL}{reverse('post', args=[author.username, post_id])}"


def _tags(text: str, cards: Mapping[str, UserCard]) -> list[dict[str, Any]]:
    tags: list[dict[str, Any]] = []
    for span in spans_in(text):
        if span.kind == "hashtag":
            url = settings.SITE_URL + renderer.tag_path(span.value)
            tags.append({"type": "Hashtag", "href": url, "name": f"#{span.value}"})
        elif span.kind == "mention" and (card := cards.get(matching_username(span.value, cards))):
            tags.append(
                {"type": "Mention", "href": user_url(card), "name": f"@{full_handle(card)}"}
            )
    return tags


def user_url(card: UserCard) -> str:
    return f"{settings.SITE_URL}{card.url}"


def full_handle(card: UserCard) -> str:
    """Return ``username@host``."""
    return f"{card.username}@{settings.SITE_URL.partition('://')[2]}"


def comment_url(post_id: int, comment_id: int) -> str:
    return f"{settings.SITE_URL}{reverse('comment_permalink', args=[post_id, comment_id])}"


def html_paragraph(text: str, names: Collection[str] = ()) -> str:
    """Return the text as an HTML paragraph with absolute links, or "" for an empty text.

    ``names`` are existing usernames. Mentions that contain a dot need them (``dotted_usernames`` in
    ``renderer.to_html``).
    """
    if not text:
        return ""
    html = renderer.to_html(text=text, dotted_usernames=names).replace(
        'href="/', f'href="{settings.SITE_URL}/'
    )
    return f"<p>{html}</p>"


def format_timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def media_path(entry: Mapping[str, Any]) -> str:
    """Return the path in the archive of an entry of ``Post.media``."""
    return f"{MEDIA_FOLDER}/{entry['name']}.{MEDIA_TYPES[entry.get('kind', 'image')][1]}"


def _source(text: str) -> dict[str, str]:
    return {"content": text, "mediaType": "text/plain"}


def _picture_json(picture: Mapping[str, Any]) -> dict[str, Any]:
    document = {
        "type": "Document",
        "mediaType": MEDIA_TYPES[picture.get("kind", "image")][0],
        "url": media_path(picture) if picture["name"] else None,
        "name": picture["alt"] or None,
        "width": picture["width"],
        "height": picture["height"],
    }
    document |= focus_json(picture)
    if "duration" in picture:
        document["duration"] = f"PT{picture['duration']}S"
    return document
