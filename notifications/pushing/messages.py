"""What a device shows of one notification: the same sentence as a mail's."""

import base64
import json
from dataclasses import dataclass
from hashlib import sha256

from notifications.mailing.sentences import sentence
from notifications.selectors import Notification
from notifications.store.items import Item

MOST_TITLE = 300
MOST_BODY = 1200
"""Bytes. Push services take 4,096 in all, encrypted."""


@dataclass(frozen=True, slots=True)
class Message:
    """``tag``: of two with the same one a device shows the later."""

    title: str
    body: str
    url: str
    tag: str

    @property
    def payload(self) -> bytes:
        told = {"title": self.title, "body": self.body, "url": self.url, "tag": self.tag}
        return json.dumps(told, ensure_ascii=False).encode()

    @property
    def topic(self) -> str:
        """The same for push services, which keep the last one for who is away; it says nothing to them."""
        return base64.urlsafe_b64encode(sha256(self.tag.encode()).digest())[:32].decode()


def message_of(*, item: Item, one: Notification) -> Message:
    """Others may see a device: of what is not for them it says only that there is something."""
    if one.post is not None and one.post.visibility == "direct":
        title, body = str(one.kind.label), ""
    else:
        told = sentence(one=one)
        title, body = told.text, told.words
    return Message(
        title=_cut(title, MOST_TITLE),
        body=_cut(body, MOST_BODY),
        url=one.url,
        tag=item.key,
    )


def _cut(text: str, most: int) -> str:
    whole = text.encode()
    return text if len(whole) <= most else whole[: most - 3].decode(errors="ignore") + "…"
