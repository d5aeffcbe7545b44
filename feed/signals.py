"""What happens to posts, in the past tense, carrying ids only. Sent after the commit."""

from django.dispatch import Signal

post_published = Signal()  # post: int, author: int
post_deleted = Signal()  # post: int, author: int
site_seeded = Signal()  # people: list[int]; who may log in
inbox_begun = Signal()  # reader: int; it is still to be filled
post_pending_review = Signal()  # post: int, author: int; not published until moderators let it be
post_edited = Signal()  # post: int, author: int, mentioned: list[int]; uids that were not before
post_shared = Signal()  # post: int, sharer: int
post_unshared = Signal()  # post: int, sharer: int
post_liked = Signal()  # post: int, liker: int
post_unliked = Signal()  # post: int, liker: int
comment_published = Signal()  # comment: int, post: int, author: int, parent: int (0: the post)
comment_edited = Signal()  # comment: int, post: int, author: int, mentioned: list[int]; as above
comment_deleted = Signal()  # comment: int, post: int, author: int
comment_liked = Signal()  # comment: int, post: int, liker: int
comment_unliked = Signal()  # comment: int, post: int, liker: int
post_suspected = (
    Signal()
)  # post: int, author: int, reasons: list[str]; of new accounts, looks like spam
comment_suspected = Signal()  # comment: int, post: int, author: int, reasons: list[str]; as above
# reader: int; each answers the posts of whose conversations the reader does not want to hear
muted_conversations_asked = Signal()
preferences_exported = Signal()  # uid: int; each answers (name, what they have chosen there)
