"""One thing that somebody was told, as it lies in a box.

    {id, key, kind, actor, post?, comment?, words?, read, again?}

The id is the moment of telling, the key what it tells of: who has an item of a key is not told again. A
``post`` or ``comment`` that there is none of is left out, and so is ``words``, what is told besides.
``again``: who read it wants it unread.
"""

from dataclasses import dataclass

from .collections import Document


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    kind: str
    actor: int
    post: int = 0
    comment: int = 0
    words: str = ""
    is_read: bool = False

    @property
    def key(self) -> str:
        return key_of(kind=self.kind, actor=self.actor, post=self.post, comment=self.comment)


def key_of(*, kind: str, actor: int, post: int = 0, comment: int = 0) -> str:
    return f"{kind}:{actor}:{post}:{comment}"


def document_of(item: Item) -> Document:
    document: Document = {
        "id": item.id,
        "key": item.key,
        "kind": item.kind,
        "actor": item.actor,
        "read": item.is_read,
    }
    there = {"post": item.post, "comment": item.comment, "words": item.words}
    return document | {name: value for name, value in there.items() if value}


def item_of(document: Document) -> Item:
    return Item(
        id=document["id"],
        kind=document["kind"],
        actor=document["actor"],
        post=document.get("post", 0),
        comment=document.get("comment", 0),
        words=document.get("words", ""),
        is_read=document["read"],
    )
