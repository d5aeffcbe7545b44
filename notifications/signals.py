"""Signals of this app. They are named in the past tense and carry ids only."""

from django.dispatch import Signal

# row_id: int, recipients: list[int]. The boxes of some recipients may have rejected the row.
notifications_delivered = Signal()
