"""What every reader should see at home: plain sets and lists, and no cleverness.

Written from the rules and not from the site's code, so that both would have to be wrong alike.
"""

from dataclasses import dataclass, field

Pair = tuple[int, int]


@dataclass
class Text:
    """``share_of``: the id of what is shared."""

    id: int
    author: int
    visibility: str = "public"
    recipients: frozenset[int] = frozenset()
    share_of: int | None = None


@dataclass
class Oracle:
    """All pairs are (who does it, to whom)."""

    follows: set[Pair] = field(default_factory=set)
    requests: set[Pair] = field(default_factory=set)
    blocks: set[Pair] = field(default_factory=set)
    suspended: set[Pair] = field(default_factory=set)
    mutes: set[Pair] = field(default_factory=set)
    hides: set[Pair] = field(default_factory=set)
    private: set[int] = field(default_factory=set)
    texts: dict[int, Text] = field(default_factory=dict)

    def follow(self, a: int, b: int) -> None:
        if self.are_apart(a, b) or (a, b) in self.follows:
            return
        if b in self.private:
            self.requests.add((a, b))
        else:
            self.requests.discard((a, b))
            self.follows.add((a, b))

    def unfollow(self, a: int, b: int) -> None:
        for pairs in (self.follows, self.requests, self.suspended, self.hides):
            pairs.discard((a, b))

    def accept(self, b: int, a: int) -> None:
        if (a, b) in self.requests:
            self.requests.discard((a, b))
            self.follows.add((a, b))

    def remove_follower(self, b: int, a: int) -> None:
        for pairs in (self.follows, self.suspended, self.hides):
            pairs.discard((a, b))

    def block(self, a: int, b: int) -> None:
        if (a, b) in self.blocks:
            return
        self.blocks.add((a, b))
        if (a, b) in self.follows:
            self.suspended.add((a, b))
        self.remove_follower(a, b)
        for pair in ((a, b), (b, a)):
            self.follows.discard(pair)
            self.requests.discard(pair)

    def unblock(self, a: int, b: int) -> None:
        self.blocks.discard((a, b))
        if (a, b) in self.suspended:
            self.suspended.discard((a, b))
            self.follows.add((a, b))

    def are_apart(self, a: int, b: int) -> bool:
        return (a, b) in self.blocks or (b, a) in self.blocks

    def may_read(self, viewer: int, text: Text) -> bool:
        if viewer == text.author:
            return True
        if self.are_apart(viewer, text.author):
            return False
        if viewer in text.recipients:
            return True
        if text.visibility == "direct":
            return False
        if text.visibility == "followers" or text.author in self.private:
            return (viewer, text.author) in self.follows
        return True

    def hears(self, reader: int, author: int) -> bool:
        pair = (reader, author)
        return reader == author or (pair in self.follows and pair not in self.mutes)

    def gets_share(self, reader: int, share: Text) -> bool:
        return self.hears(reader, share.author) and (reader, share.author) not in self.hides

    def home(self, reader: int) -> list[int]:
        """Ids of all entries, newest first. A shared post comes once: as itself or by its first share."""
        seen, arrived = [], set()
        for _, text in sorted(self.texts.items()):
            if not self.hears(reader, text.author) or not self.may_read(reader, text):
                continue
            if text.share_of is None:
                arrived.add(text.id)
                seen.append(text.id)
                continue
            if not self.gets_share(reader, text):
                continue
            shared = self.texts.get(text.share_of)
            again = text.share_of in arrived
            arrived.add(text.share_of)
            if shared is None or again or not self.may_read(reader, shared):
                continue
            if (reader, shared.author) not in self.mutes:
                seen.append(text.id)
        return seen[::-1]
