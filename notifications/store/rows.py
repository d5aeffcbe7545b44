"""One thing that somebody was told, as it lies in a box.

    {id, key, kind, actor, post?, comment?, about?, words?, read, again?}

The id is the moment of telling, the key what it tells of: who has an item of a key is not told again. A
``post`` or ``comment`` that there is none of is left out, and so are ``about``, what else it is about, by
its id (only its kind knows what that is), and ``words``, what is told besides. ``again``: who read it wants
it unread.
"""

from dataclasses import dataclass

from .collections import Document


@dataclass(frozen=True, slots=True)
class NotificationRow:
    id: int
    kind: str
    actor: int
    post_id: int = 0
    comment_id: int = 0
    text: str = ""
    target_id: int = 0
    is_read: bool = False

    @property
    def key(self) -> str:
        what = {"post": self.post_id, "comment": self.comment_id, "about": self.target_id}
        return notification_key(kind=self.kind, actor=self.actor, **what)


def notification_key(
    *, kind: str, actor: int, post_id: int = 0, comment_id: int = 0, target_id: int = 0
) -> str:
    key = f"{kind}:{actor}:{post_id}:{comment_id}"
    return f"{key}:{target_id}" if target_id else key


def document_from_row(item: NotificationRow) -> Document:
    document: Document = {
        "id": item.id,
        "key": item.key,
        "kind": item.kind,
        "actor": item.actor,
        "read": item.is_read,
    }
    there = {
        "post": item.post_id,
        "comment": item.comment_id,
        "words": item.text,
        "about": item.target_id,
    }
    return document | {name: value for name, value in there.items() if value}


def row_from_document(document: Document) -> NotificationRow:
    return NotificationRow(
        id=document["id"],
        kind=document["kind"],
        actor=document["actor"],
        post_id=document.get("post", 0),
        comment_id=document.get("comment", 0),
        text=document.get("words", ""),
        target_id=document.get("about", 0),
        is_read=document["read"],
    )
