"""Signals of this app. They carry ids only and are sent after the commit."""

from django.dispatch import Signal

signed_up = Signal()  # uid: int
followed = Signal()  # follower: int, followee: int, is_restored: bool (True after an unblock)
unfollowed = Signal()  # follower: int, followee: int
follow_requested = Signal()  # follower: int, followee: int
follow_request_accepted = Signal()  # follower: int, followee: int
follow_request_ended = Signal()  # follower: int, followee: int; rejected or withdrawn
blocked = Signal()  # owner: int, other: int
unlocked = Signal()  # uid: int; the user no longer approves followers
notifications_muted = Signal()  # owner: int, other: int
time_zone_changed = Signal()  # uid: int
# uid: int. Sent before moderators limit a user, before a user becomes inactive, and before this is undone.
status_changing = Signal()
# uid: int. Receivers delete all of the user's data in their app. They run in any order and must be safe to
# repeat: if a receiver raises an exception, the erasure is retried. The user's row is deleted last.
user_erasure_started = Signal()
# on_progress: a callback that takes the number of processed follows. Sent after a bulk import of follows,
# while the backfills of these follows are still pending.
followers_imported = Signal()
