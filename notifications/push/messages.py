"""What a device shows of one notification: the same sentence as a mail's. Apps are told in the words of
Mastodon, but for its ``access_token``, which nobody here knows: only digests of tokens are kept. It is
empty then, for apps read nothing where it is missing."""

import base64
import json
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.urls import reverse

from notifications.mail.sentence import render_sentence
from notifications.selectors.notification_views import NotificationView
from notifications.store.rows import NotificationRow

MAX_TITLE_BYTES = 300
MAX_BODY_BYTES = 1200
"""Bytes. Push services take 4,096 in all, encrypted."""


@dataclass(frozen=True, slots=True)
class Message:
    """``tag``: of two with the same one a device shows the later. ``id``, ``type`` and ``icon`` are for
    apps: of the notification, and a picture of who did it."""

    title: str
    body: str
    url: str
    tag: str
    id: int
    type: str
    icon: str

    @property
    def payload(self) -> bytes:
        told = {"title": self.title, "body": self.body, "url": self.url, "tag": self.tag}
        return json.dumps(told, ensure_ascii=False).encode()

    @property
    def app_payload(self) -> bytes:
        told = {
            "preferred_locale": settings.LANGUAGE_CODE,
            "access_token": "",
            "notification_id": self.id,
            "notification_type": self.type,
            "icon": self.icon,
            "title": self.title,
            "body": self.body,
        }
        return json.dumps(told, ensure_ascii=False).encode()

    @property
    def topic(self) -> str:
        """The same for push services, which keep the last one for who is away; it says nothing to them."""
        return base64.urlsafe_b64encode(sha256(self.tag.encode()).digest())[:32].decode()


def build_message(*, row: NotificationRow, notification: NotificationView) -> Message:
    """Others may see a device: of what is not for them it says only that there is something."""
    if notification.post is not None and notification.post.visibility == "direct":
        title, body, icon = str(notification.kind.label), "", ""
    else:
        told = render_sentence(notification=notification)
        title, body, icon = told.text, told.quote, _icon(notification)
    return Message(
        title=_cut(title, MAX_TITLE_BYTES),
        body=_cut(body, MAX_BODY_BYTES),
        url=notification.url,
        tag=row.key,
        id=row.id,
        type=notification.kind.api_type,
        icon=icon,
    )


def _icon(one: NotificationView) -> str:
    if one.first_actor is None:
        return ""
    # Telephones do not draw SVG.
    path = one.first_actor.avatar_url
    if path == reverse("identicon", args=[one.first_actor.uid]):
        path = reverse("drawn_avatar", args=[one.first_actor.uid])
    return settings.SITE_URL + path if path.startswith("/") else path


def _cut(text: str, most: int) -> str:
    whole = text.encode()
    return text if len(whole) <= most else whole[: most - 3].decode(errors="ignore") + "…"
