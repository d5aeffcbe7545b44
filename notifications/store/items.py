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
class Item:
    id: int
    kind: str
    actor: int
    post: int = 0
    comment: int = 0
    words: str = ""
    about: int = 0
    is_read: bool = False

    @property
    def key(self) -> str:
        what = {"post": self.post, "comment": self.comment, "about": self.about}
        return key_of(kind=self.kind, actor=self.actor, **what)


def key_of(*, kind: str, actor: int, post: int = 0, comment: int = 0, about: int = 0) -> str:
    key = f"{kind}:{actor}:{post}:{comment}"
    return f"{key}:{about}" if about else key


def document_of(item: Item) -> Document:
    document: Document = {
        "id": item.id,
        "key": item.key,
        "kind": item.kind,
        "actor": item.actor,
        "read": item.is_read,
    }
    there = {"post": item.post, "comment": item.comment, "words": item.words, "about": item.about}
    return document | {name: value for name, value in there.items() if value}


def item_of(document: Document) -> Item:
    return Item(
        id=document["id"],
        kind=document["kind"],
        actor=document["actor"],
        post=document.get("post", 0),
        comment=document.get("comment", 0),
        words=document.get("words", ""),
        about=document.get("about", 0),
        is_read=document["read"],
    )
