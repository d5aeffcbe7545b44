"""Signals of this app. They carry ids only and are sent after the commit."""

from django.dispatch import Signal

signed_up = Signal()  # uid: int
followed = Signal()  # follower: int, followee: int, is_restored: bool (True after an unblock)
unfollowed = Signal()  # follower: int, followee: int
follow_requested = Signal()  # follower: int, followee: int
follow_request_accepted = Signal()  # follower: int, followee: int
follow_request_ended = Signal()  # follower: int, followee: int; rejected or withdrawn
blocked = Signal()  # owner: int, other: int
muted = Signal()  # owner: int, other: int
# uid: int. Receivers delete all data of the user. They run in any order and must be safe to repeat: if one
# raises an exception, the erasure is retried. The user is deleted last.
user_erasure_started = Signal()
# advance: a callback that takes the number of processed follows. Sent after a bulk import of follows, whose
# edges are marked as pending.
followers_imported = Signal()
