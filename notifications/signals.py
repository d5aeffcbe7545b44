"""Signals of this app. Their names are in the past tense, and their arguments contain only ids."""

from django.dispatch import Signal

# Arguments: ``row_id`` and ``recipients``, a list of uids. The boxes of some recipients do not contain the
# row, for example because these recipients disabled the kind.
notifications_delivered = Signal()
