"""One notification as it is stored in a box.

    {id, key, kind, actor, post?, comment?, target?, text?, is_read, is_marked_unread?}

    id                contains the time of delivery, so that ids are ordered by time
    key               identifies the event; a box has at most one row per key
    target            the id of an object other than a post or comment; its meaning depends on the kind
    text              extra text, such as the text of a moderation notice
    is_marked_unread  whether the user marked the row as unread

A row has only the optional fields that apply to its event.
"""

from dataclasses import dataclass

from accounts.infra.store.connection import Document


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
        ids = {"post_id": self.post_id, "comment_id": self.comment_id, "target_id": self.target_id}
        return notification_key(kind=self.kind, actor=self.actor, **ids)


def notification_key(
    *, kind: str, actor: int, post_id: int = 0, comment_id: int = 0, target_id: int = 0
) -> str:
    key = f"{kind}:{actor}:{post_id}:{comment_id}"
    return f"{key}:{target_id}" if target_id else key


def document_from_row(row: NotificationRow) -> Document:
    document: Document = {
        "id": row.id,
        "key": row.key,
        "kind": row.kind,
        "actor": row.actor,
        "is_read": row.is_read,
    }
    optional_fields = {
        "post": row.post_id,
        "comment": row.comment_id,
        "text": row.text,
        "target": row.target_id,
    }
    return document | {name: value for name, value in optional_fields.items() if value}


def row_from_document(document: Document) -> NotificationRow:
    return NotificationRow(
        id=document["id"],
        kind=document["kind"],
        actor=document["actor"],
        post_id=document.get("post", 0),
        comment_id=document.get("comment", 0),
        text=document.get("text", ""),
        target_id=document.get("target", 0),
        is_read=document["is_read"],
    )
