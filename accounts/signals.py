"""What happens among people, in the past tense, carrying ids only. Sent after the commit."""

from django.dispatch import Signal

signed_up = Signal()  # uid: int
followed = Signal()  # follower: int, followee: int, is_restored: bool; after a block
unfollowed = Signal()  # follower: int, followee: int
follow_requested = Signal()  # follower: int, followee: int; waits for the followee's answer
follow_request_accepted = Signal()  # follower: int, followee: int
follow_request_ended = Signal()  # follower: int, followee: int; refused, or taken back
blocked = Signal()  # owner: int, other: int
muted = Signal()  # owner: int, other: int
# uid: int. Whoever hears it deletes all they keep of this person, in any order and perhaps for the second
# time; what they raise has the erasure tried again. The person goes last.
user_erasure_started = Signal()
# advance: called with how many are done. After an import of very many follows; their edges are marked.
followers_imported = Signal()
