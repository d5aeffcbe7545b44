"""The expected notification box, in plain Python lists without a database."""

from dataclasses import dataclass, field, replace

from notifications.kinds import find_kind
from notifications.store.rows import NotificationRow

SIZE, BUCKET = 5, 3
"""Sizes of a box and a bucket. They are small, so that a few deliveries fill them."""


def lifetime(row):
    return find_kind(row.kind).lifetime


@dataclass
class ExpectedBox:
    items: list[NotificationRow] = field(default_factory=list)
    overflow: list[NotificationRow] = field(default_factory=list)
    filtered: list[NotificationRow] = field(default_factory=list)
    history: list[list[NotificationRow]] = field(default_factory=list)
    hidden: int = 0
    marked_unread: set[int] = field(default_factory=set)
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
        return {row.key for rows in self.lists.values() for row in rows}

    def sort_and_trim(self):
        for rows in self.lists.values():
            rows.sort(key=lambda row: row.id)
        self.filtered = self.filtered[-SIZE:]
        dropped, self.items = self.items[:-SIZE], self.items[-SIZE:]
        self.overflow += [row for row in dropped if lifetime(row) == "durable"]
        self.overflow.sort(key=lambda row: row.id)

    def deliver(self, row, is_filtered):
        if row.key in self.keys:
            return
        (self.filtered if is_filtered else self.items).append(row)
        self.sort_and_trim()

    def mark(self, ids, is_read, is_seen_only):
        chosen = set(ids) - (self.marked_unread if is_seen_only else set())
        self.items = [
            replace(row, is_read=is_read) if row.id in chosen else row
            for row in self.items
            if not (is_read and row.id in chosen and lifetime(row) == "burning")
        ]
        self.marked_unread = self.marked_unread - chosen if is_read else self.marked_unread | chosen

    def dismiss(self, ids):
        dismissed = {
            name: [row for row in rows if row.id in ids] for name, rows in self.lists.items()
        }
        if any(dismissed.values()):
            self._filter(lambda row: row.id not in ids)
            self.dismissed = dismissed

    def clear(self, ids):
        cleared = [row for row in self.items if row.id in ids]
        if cleared or self.overflow or self.hidden < len(self.history):
            self.dismissed = {
                "recent": cleared,
                "overflow": self.overflow,
                "cleared_seq": self.hidden,
            }
            self.items = [row for row in self.items if row.id not in ids]
            self.overflow, self.hidden = [], len(self.history)

    def restore(self):
        if self.dismissed is None:
            return
        existing_keys, restored = self.keys, self.dismissed
        self.hidden = restored.pop("cleared_seq", self.hidden)
        for name, rows in restored.items():
            self.lists[name].extend(row for row in rows if row.key not in existing_keys)
        self.dismissed = None
        self.sort_and_trim()

    def withdraw(self, is_withdrawn):
        self._filter(lambda row: not is_withdrawn(row))
        if self.dismissed is not None:
            for name in self.dismissed.keys() - {"cleared_seq"}:
                self.dismissed[name] = [
                    row for row in self.dismissed[name] if not is_withdrawn(row)
                ]

    def withdraw_from_history(self, is_withdrawn):
        self.history = [[row for row in rows if not is_withdrawn(row)] for rows in self.history]

    def accept_filtered(self, ids):
        self.items += [row for row in self.filtered if row.id in ids]
        self.filtered = [row for row in self.filtered if row.id not in ids]
        self.sort_and_trim()

    def seal(self):
        while len(self.overflow) >= BUCKET:
            self.history.append(self.overflow[:BUCKET])
            self.overflow = self.overflow[BUCKET:]

    def expire(self, below):
        self.filtered = [row for row in self.filtered if row.id >= below]
        self.items = [row for row in self.items if row.id >= below or lifetime(row) == "durable"]

    def _filter(self, condition):
        self.items, self.overflow, self.filtered = (
            [row for row in rows if condition(row)] for rows in self.lists.values()
        )
