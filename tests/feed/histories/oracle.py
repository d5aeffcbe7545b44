"""A model of the home timeline with plain sets and lists.

The model shares no code with the site. So the comparison misses a bug of the site only if the model has
the same bug.
"""

from dataclasses import dataclass, field

Pair = tuple[int, int]


@dataclass
class Text:
    """A post, or a share of the post with the id ``share_of``."""

    id: int
    author: int
    visibility: str = "public"
    recipients: frozenset[int] = frozenset()
    share_of: int | None = None


@dataclass
class Oracle:
    """The state of the model. All pairs are ``(uid of the actor, uid of the target)``."""

    follows: set[Pair] = field(default_factory=set)
    requests: set[Pair] = field(default_factory=set)
    blocks: set[Pair] = field(default_factory=set)
    suspended: set[Pair] = field(default_factory=set)
    mutes: set[Pair] = field(default_factory=set)
    hides: set[Pair] = field(default_factory=set)
    private: set[int] = field(default_factory=set)
    texts: dict[int, Text] = field(default_factory=dict)

    def follow(self, a: int, b: int) -> None:
        if self.is_blocked(a, b) or (a, b) in self.follows:
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

    def is_blocked(self, a: int, b: int) -> bool:
        return (a, b) in self.blocks or (b, a) in self.blocks

    def can_view(self, viewer: int, text: Text) -> bool:
        if viewer == text.author:
            return True
        if self.is_blocked(viewer, text.author):
            return False
        if viewer in text.recipients:
            return True
        if text.visibility == "direct":
            return False
        if text.visibility == "followers" or text.author in self.private:
            return (viewer, text.author) in self.follows
        return True

    def sees_author(self, viewer: int, author: int) -> bool:
        pair = (viewer, author)
        return viewer == author or (pair in self.follows and pair not in self.mutes)

    def sees_share(self, viewer: int, share: Text) -> bool:
        return self.sees_author(viewer, share.author) and (viewer, share.author) not in self.hides

    def home(self, viewer: int) -> list[int]:
        """Return the ids of all entries, newest first.

        A shared post appears once, either as the original or as its first visible share.
        """
        seen, shown_post_ids = [], set()
        for _, text in sorted(self.texts.items()):
            if not self.sees_author(viewer, text.author) or not self.can_view(viewer, text):
                continue
            if text.share_of is None:
                shown_post_ids.add(text.id)
                seen.append(text.id)
                continue
            if not self.sees_share(viewer, text):
                continue
            shared = self.texts.get(text.share_of)
            is_repeated = text.share_of in shown_post_ids
            shown_post_ids.add(text.share_of)
            if shared is None or is_repeated or not self.can_view(viewer, shared):
                continue
            if (viewer, shared.author) not in self.mutes:
                seen.append(text.id)
        return seen[::-1]
