"""Single posts and comments in ActivityStreams (https://www.w3.org/TR/activitystreams-vocabulary), as
Mastodon writes them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from accounts.ids import time_of
from accounts.user_cards import UserCard
from feed.models import Post
from feed.store.belongings import Said
from feed.store.revisions import Revision
from feed.store.rows import PostRow
from feed.text import rendering
from feed.text.entities import entities_in
from feed.text.mentions import name_meant

from . import extension

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
MEDIA = "media_attachments/files"
Visibility = Post.Visibility


@dataclass(frozen=True, slots=True)
class Writer:
    """``me``: whose archive it is. ``cards``: of everybody who is named in what is written."""

    me: UserCard
    cards: Mapping[int, UserCard]

    def post(self, row: PostRow) -> dict[str, Any]:
        """That it was published, with all of it."""
        at = self._address(self.me, row.id)
        note = self._note(
            at, row.text, row.created_at, self._audience(row.visibility, self._mentioned(row))
        )
        note |= {
            "summary": row.warning or None,
            "sensitive": bool(row.warning) or row.is_sensitive,
            "attachment": [_picture(one) for one in row.media],
        }
        if row.edited_at:
            note["updated"] = moment(row.edited_at)
        note |= extension.written(kind=row.kind, details=row.details, replies=row.replies)
        return self._create(note)

    def version(self, row: PostRow, before: Revision, since: datetime) -> dict[str, Any]:
        """What a post said from ``since`` on, before it was edited."""
        return {
            "type": "Note",
            "url": self._address(self.me, row.id),
            "attributedTo": person(self.me),
            "summary": before.warning or None,
            "content": html(before.text),
            "source": _source(before.text),
            "startTime": moment(since),
            "endTime": moment(before.until),
        }

    def share(self, row: PostRow, shared: PostRow) -> dict[str, Any] | None:
        """None if whose post it was is gone."""
        author = self.cards.get(shared.author)
        if author is None:
            return None
        return {
            "id": f"{self._address(self.me, row.id)}#share",
            "type": "Announce",
            "actor": person(self.me),
            "published": moment(row.created_at),
            **self._audience(row.visibility, []),
            "object": self._address(author, shared.id),
        }

    def comment(self, comment: Said, post: PostRow) -> dict[str, Any] | None:
        """None if whose post it is about is gone."""
        author = self.cards.get(post.author)
        if author is None:
            return None
        told = self._audience(post.visibility, [author])
        note = self._note(
            said_at(comment.post, comment.id), comment.text, time_of(id=comment.id), told
        )
        to = self._address(author, post.id)
        note["inReplyTo"] = said_at(comment.post, comment.parent) if comment.parent else to
        if comment.edited_at:
            note["updated"] = moment(comment.edited_at)
        note |= extension.written(kind=extension.COMMENT, details={}, replies="")
        return self._create(note)

    def address_of(self, post: PostRow) -> str | None:
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
            "attributedTo": person(self.me),
            "published": moment(when),
            **told,
            "inReplyTo": None,
            "summary": None,
            "sensitive": False,
            "content": html(text, self._names()),
            "source": _source(text),
            "attachment": [],
            "tag": list(self._tags(text)),
        }

    def _names(self) -> dict[str, UserCard]:
        return {card.username: card for card in self.cards.values()}

    def _tags(self, text: str) -> list[dict[str, Any]]:
        by_name = self._names()
        tags: list[dict[str, Any]] = []
        for one in entities_in(text):
            if one.kind == "hashtag":
                at = settings.SITE_URL + rendering.tag_path(one.value)
                tags.append({"type": "Hashtag", "href": at, "name": f"#{one.value}"})
            elif one.kind == "mention" and (card := by_name.get(name_meant(one.value, by_name))):
                tags.append({"type": "Mention", "href": person(card), "name": f"@{handle(card)}"})
        return tags

    def _mentioned(self, row: PostRow) -> list[UserCard]:
        uids = [one["value"] for one in row.entities if one["kind"] == "mention"]
        return [
            self.cards[uid] for uid in dict.fromkeys((*uids, *row.recipients)) if uid in self.cards
        ]

    def _audience(self, visibility: str, mentioned: list[UserCard]) -> dict[str, Any]:
        named = [person(card) for card in mentioned]
        followers = f"{person(self.me)}followers/"
        to, cc = {
            Visibility.PUBLIC.value: ([PUBLIC], [followers, *named]),
            Visibility.UNLISTED.value: ([followers], [PUBLIC, *named]),
            Visibility.FOLLOWERS.value: ([followers], named),
        }.get(visibility, (named, []))
        return {"to": to, "cc": cc}

    @staticmethod
    def _address(author: UserCard, post: int) -> str:
        return f"{settings.SITE_URL}{reverse('post', args=[author.username, post])}"


def person(card: UserCard) -> str:
    return f"{settings.SITE_URL}{card.url}"


def handle(card: UserCard) -> str:
    """The name by which people of other sites know somebody."""
    return f"{card.username}@{settings.SITE_URL.partition('://')[2]}"


def said_at(post: int, comment: int) -> str:
    return f"{settings.SITE_URL}{reverse('open_comment', args=[post, comment])}"


def html(text: str, names: Collection[str] = ()) -> str:
    """A paragraph, with whole addresses. ``names``: as in ``rendering.to_html``."""
    if not text:
        return ""
    inside = rendering.to_html(text=text, names=names).replace(
        'href="/', f'href="{settings.SITE_URL}/'
    )
    return f"<p>{inside}</p>"


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def picture_path(name: str) -> str:
    return f"{MEDIA}/{name}.webp"


def _source(text: str) -> dict[str, str]:
    return {"content": text, "mediaType": "text/plain"}


def _picture(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "Document",
        "mediaType": "image/webp",
        "url": picture_path(one["name"]),
        "name": one["alt"] or None,
        "width": one["width"],
        "height": one["height"],
    }
