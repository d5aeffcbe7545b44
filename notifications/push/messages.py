"""Push messages, with the same sentence as in mails.

Apps get Mastodon's format. Apps reject messages without the field ``access_token``. The field is empty,
because the site stores only digests of tokens.
"""

import base64
import json
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.utils.translation import get_language

from notifications.mail.sentence import render_sentence
from notifications.selectors.notification_views import NotificationView
from notifications.store.rows import NotificationRow

MAX_TITLE_BYTES = 300
MAX_BODY_BYTES = 1200
"""Push services accept encrypted messages of at most 4,096 bytes, with title, body and all other fields."""


@dataclass(frozen=True, slots=True)
class Message:
    """A push message. A later message with the same ``tag`` replaces this message on the device.

    ``id``, ``type``, ``icon`` (the actor's picture) and ``language`` are for apps.
    """

    title: str
    body: str
    url: str
    tag: str
    id: int
    type: str
    icon: str
    language: str

    @property
    def payload(self) -> bytes:
        content = {"title": self.title, "body": self.body, "url": self.url, "tag": self.tag}
        return json.dumps(content, ensure_ascii=False).encode()

    @property
    def app_payload(self) -> bytes:
        content = {
            "preferred_locale": self.language,
            "access_token": "",
            "notification_id": self.id,
            "notification_type": self.type,
            "icon": self.icon,
            "title": self.title,
            "body": self.body,
        }
        return json.dumps(content, ensure_ascii=False).encode()

    @property
    def topic(self) -> str:
        """Return the hash of the tag. Push services keep only the last message of a topic."""
        return base64.urlsafe_b64encode(sha256(self.tag.encode()).digest())[:32].decode()


def build_message(*, row: NotificationRow, notification: NotificationView) -> Message:
    """Build the message in the current language.

    For direct content, the message contains only the kind, because bystanders may see the screen.
    """
    if notification.is_direct:
        title, body, icon = str(notification.kind.label), "", ""
    else:
        sentence = render_sentence(notification=notification)
        title, body, icon = sentence.text, sentence.quote, _icon(notification)
    return Message(
        title=_truncate(title, MAX_TITLE_BYTES),
        body=_truncate(body, MAX_BODY_BYTES),
        url=notification.url,
        tag=row.key,
        id=row.id,
        type=notification.kind.api_type,
        icon=icon,
        language=get_language(),
    )


def _icon(notification: NotificationView) -> str:
    if notification.first_actor is None:
        return ""
    path = notification.first_actor.bitmap_avatar_url
    return settings.SITE_URL + path if path.startswith("/") else path


def _truncate(text: str, max_bytes: int) -> str:
    encoded = text.encode()
    return (
        text
        if len(encoded) <= max_bytes
        else encoded[: max_bytes - 3].decode(errors="ignore") + "…"
    )
