"""Signals about posts and comments, sent after the commit.

The comments list the arguments. ``int`` arguments are ids.
"""

from django.dispatch import Signal

post_published = Signal()  # post: int, author: int
delivery_due = Signal()  # post: int. Workers have to deliver the post to its large audience.
link_card_due = Signal()  # post: int. A new post or an edit needs the card of another link.
clip_stored = Signal()  # clip: int. The uploaded file is not converted yet.
post_deleted = Signal()  # post: int, author: int
# owner: int. The reader has no inbox, and follows too many users to build one while the page waits.
dormant_reader_returned = Signal()
site_seeded = Signal()  # people: list[int] (uids of users who can log in)
# post: int, author: int. Sent instead of ``post_published`` while the post is pending review.
post_pending_review = Signal()
# post: int, author: int, mentioned: list[int] (newly mentioned uids), has_removed_pictures: bool
post_edited = Signal()
post_hidden = Signal()  # post: int. Moderators hid the post.
post_shared = Signal()  # post: int, sharer: int, post_author: int
post_unshared = Signal()  # post: int, sharer: int
# post: int (the post with the quote), quoted_author: int. The quoted author revoked the quote.
quote_revoked = Signal()
post_liked = Signal()  # post: int, liker: int, post_author: int
post_unliked = Signal()  # post: int, liker: int
# comment: int, post: int, author: int, post_author: int, text: str, parent: int, parent_author: int.
# ``parent`` and ``parent_author`` are 0 for a comment that is not a reply.
# is_direct: bool (whether the post is direct). visibility: str, recipients: list[int] (as in
# ``store.comment_rows.Comment``)
comment_published = Signal()
# comment: int, post: int, author: int, mentioned: list[int] (newly mentioned uids)
comment_edited = Signal()
comment_deleted = Signal()  # comment: int, post: int, author: int
comment_hidden = Signal()  # comment: int, post: int. Moderators hid the comment.
comment_liked = Signal()  # comment: int, post: int, liker: int
comment_unliked = Signal()  # comment: int, post: int, liker: int
# post: int, reader: int, newest: int (the reader read messages up to this id). Sent when a user opens or
# hides a direct post.
conversation_read = Signal()
# post: int, reader: int, message: int (the last message). The reader marked the conversation as unread.
conversation_marked_unread = Signal()
# post: int, author: int, voters: list[int]. Sent once without voters, then for each batch of voters.
poll_ended = Signal()
# draft: int, author: int. A scheduled post could not be published and became a draft.
scheduled_post_refused = Signal()
# A post or comment of a new account looks like spam.
# post: int, author: int, reasons: list[str]
post_suspected = Signal()
# comment: int, post: int, author: int, reasons: list[str]
comment_suspected = Signal()
# author: int, reasons: list[str]. A new account imports many posts, or posts among them look like spam.
import_suspected = Signal()
