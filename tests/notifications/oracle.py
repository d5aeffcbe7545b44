"""What a box should be, in plain Python: lists of items and no database."""

from dataclasses import dataclass, field, replace

from notifications.kinds import find_kind
from notifications.store.rows import NotificationRow

SIZE, BUCKET = 5, 3
"""So small that a few deliveries fill them."""


def lifetime(item):
    return find_kind(item.kind).lifetime


@dataclass
class Told:
    items: list[NotificationRow] = field(default_factory=list)
    kept: list[NotificationRow] = field(default_factory=list)
    held: list[NotificationRow] = field(default_factory=list)
    history: list[list[NotificationRow]] = field(default_factory=list)
    hidden: int = 0
    again: set[int] = field(default_factory=set)
    dismissed: dict | None = None

    @property
    def unread(self):
        return sum(not one.is_read for one in self.items)

    @property
    def expires(self):
        expiring = [one.id for one in self.items if lifetime(one) != "durable"]
        return min([*expiring, *(one.id for one in self.held)], default=None)

    @property
    def lists(self):
        return {"recent": self.items, "overflow": self.kept, "filtered": self.held}

    @property
    def keys(self):
        return {one.key for some in self.lists.values() for one in some}

    def settle(self):
        for some in self.lists.values():
            some.sort(key=lambda one: one.id)
        self.held = self.held[-SIZE:]
        dropped, self.items = self.items[:-SIZE], self.items[-SIZE:]
        self.kept += [one for one in dropped if lifetime(one) == "durable"]
        self.kept.sort(key=lambda one: one.id)

    def deliver(self, item, is_held):
        if item.key in self.keys:
            return
        (self.held if is_held else self.items).append(item)
        self.settle()

    def mark(self, ids, is_read, is_seen_only):
        chosen = set(ids) - (self.again if is_seen_only else set())
        self.items = [
            replace(one, is_read=is_read) if one.id in chosen else one
            for one in self.items
            if not (is_read and one.id in chosen and lifetime(one) == "burning")
        ]
        self.again = self.again - chosen if is_read else self.again | chosen

    def dismiss(self, ids):
        taken = {name: [one for one in some if one.id in ids] for name, some in self.lists.items()}
        if any(taken.values()):
            self._leave(lambda one: one.id not in ids)
            self.dismissed = taken

    def clear(self, ids):
        taken = [one for one in self.items if one.id in ids]
        if taken or self.kept or self.hidden < len(self.history):
            self.dismissed = {"recent": taken, "overflow": self.kept, "cleared_seq": self.hidden}
            self.items = [one for one in self.items if one.id not in ids]
            self.kept, self.hidden = [], len(self.history)

    def restore(self):
        if self.dismissed is None:
            return
        told, back = self.keys, self.dismissed
        self.hidden = back.pop("cleared_seq", self.hidden)
        for name, some in back.items():
            self.lists[name].extend(one for one in some if one.key not in told)
        self.dismissed = None
        self.settle()

    def withdraw(self, is_gone):
        self._leave(lambda one: not is_gone(one))
        if self.dismissed is not None:
            for name in self.dismissed.keys() - {"cleared_seq"}:
                self.dismissed[name] = [one for one in self.dismissed[name] if not is_gone(one)]

    def withdraw_from_history(self, is_gone):
        self.history = [[one for one in some if not is_gone(one)] for some in self.history]

    def let_through(self, ids):
        self.items += [one for one in self.held if one.id in ids]
        self.held = [one for one in self.held if one.id not in ids]
        self.settle()

    def seal(self):
        while len(self.kept) >= BUCKET:
            self.history.append(self.kept[:BUCKET])
            self.kept = self.kept[BUCKET:]

    def expire(self, below):
        self.held = [one for one in self.held if one.id >= below]
        self.items = [one for one in self.items if one.id >= below or lifetime(one) == "durable"]

    def _leave(self, condition):
        self.items, self.kept, self.held = (
            [one for one in some if condition(one)] for some in self.lists.values()
        )
