"""Signals about posts and comments, sent after the commit. Their arguments are ids."""

from django.dispatch import Signal

post_published = Signal()  # post: int, author: int
post_deleted = Signal()  # post: int, author: int
site_seeded = Signal()  # people: list[int]; users who may log in
# post: int, author: int; a moderator decides whether to publish the post
post_pending_review = Signal()
post_edited = Signal()  # post: int, author: int, mentioned: list[int]; newly mentioned uids
post_shared = Signal()  # post: int, sharer: int, post_author: int
post_unshared = Signal()  # post: int, sharer: int
post_liked = Signal()  # post: int, liker: int, post_author: int
post_unliked = Signal()  # post: int, liker: int
# comment: int, post: int, author: int, post_author: int, text: str; parent: int, parent_author: int (both 0
# for a comment on the post itself)
comment_published = Signal()
comment_edited = Signal()  # comment: int, post: int, author: int, mentioned: list[int]; as above
comment_deleted = Signal()  # comment: int, post: int, author: int
comment_liked = Signal()  # comment: int, post: int, liker: int
comment_unliked = Signal()  # comment: int, post: int, liker: int
# post: int, author: int, reasons: list[str]; the post of a new account looks like spam
post_suspected = Signal()
comment_suspected = Signal()  # comment: int, post: int, author: int, reasons: list[str]; as above
