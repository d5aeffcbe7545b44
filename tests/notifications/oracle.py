"""What a box should be, in plain Python: lists of items and no database."""

from dataclasses import dataclass, field, replace

from notifications.kinds import find_kind
from notifications.store.rows import NotificationRow

SIZE, BUCKET = 5, 3
"""So small that a few deliveries fill them."""


def lifetime(row):
    return find_kind(row.kind).lifetime


@dataclass
class ExpectedBox:
    items: list[NotificationRow] = field(default_factory=list)
    overflow: list[NotificationRow] = field(default_factory=list)
    filtered: list[NotificationRow] = field(default_factory=list)
    history: list[list[NotificationRow]] = field(default_factory=list)
    hidden: int = 0
    again: set[int] = field(default_factory=set)
    dismissed: dict | None = None

    @property
    def unread(self):
        return sum(not row.is_read for row in self.items)

    @property
    def expires(self):
        expiring = [row.id for row in self.items if lifetime(row) != "durable"]
        return min([*expiring, *(row.id for row in self.filtered)], default=None)

    @property
    def lists(self):
        return {"recent": self.items, "overflow": self.overflow, "filtered": self.filtered}

    @property
    def keys(self):
        return {row.key for some in self.lists.values() for row in some}

    def settle(self):
        for some in self.lists.values():
            some.sort(key=lambda row: row.id)
        self.filtered = self.filtered[-SIZE:]
        dropped, self.items = self.items[:-SIZE], self.items[-SIZE:]
        self.overflow += [row for row in dropped if lifetime(row) == "durable"]
        self.overflow.sort(key=lambda row: row.id)

    def deliver(self, row, is_filtered):
        if row.key in self.keys:
            return
        (self.filtered if is_filtered else self.items).append(row)
        self.settle()

    def mark(self, ids, is_read, is_seen_only):
        chosen = set(ids) - (self.again if is_seen_only else set())
        self.items = [
            replace(row, is_read=is_read) if row.id in chosen else row
            for row in self.items
            if not (is_read and row.id in chosen and lifetime(row) == "burning")
        ]
        self.again = self.again - chosen if is_read else self.again | chosen

    def dismiss(self, ids):
        taken = {name: [row for row in some if row.id in ids] for name, some in self.lists.items()}
        if any(taken.values()):
            self._leave(lambda row: row.id not in ids)
            self.dismissed = taken

    def clear(self, ids):
        taken = [row for row in self.items if row.id in ids]
        if taken or self.overflow or self.hidden < len(self.history):
            self.dismissed = {
                "recent": taken,
                "overflow": self.overflow,
                "cleared_seq": self.hidden,
            }
            self.items = [row for row in self.items if row.id not in ids]
            self.overflow, self.hidden = [], len(self.history)

    def restore(self):
        if self.dismissed is None:
            return
        result, back = self.keys, self.dismissed
        self.hidden = back.pop("cleared_seq", self.hidden)
        for name, some in back.items():
            self.lists[name].extend(row for row in some if row.key not in result)
        self.dismissed = None
        self.settle()

    def withdraw(self, is_gone):
        self._leave(lambda row: not is_gone(row))
        if self.dismissed is not None:
            for name in self.dismissed.keys() - {"cleared_seq"}:
                self.dismissed[name] = [row for row in self.dismissed[name] if not is_gone(row)]

    def withdraw_from_history(self, is_gone):
        self.history = [[row for row in some if not is_gone(row)] for some in self.history]

    def let_through(self, ids):
        self.items += [row for row in self.filtered if row.id in ids]
        self.filtered = [row for row in self.filtered if row.id not in ids]
        self.settle()

    def seal(self):
        while len(self.overflow) >= BUCKET:
            self.history.append(self.overflow[:BUCKET])
            self.overflow = self.overflow[BUCKET:]

    def expire(self, below):
        self.filtered = [row for row in self.filtered if row.id >= below]
        self.items = [row for row in self.items if row.id >= below or lifetime(row) == "durable"]

    def _leave(self, condition):
        self.items, self.overflow, self.filtered = (
            [row for row in some if condition(row)] for some in self.lists.values()
        )
