"""Delete what refers to a deleted post or comment. Each function is safe to repeat and to interrupt."""

from feed import picture_files
from feed.store import (
    bookmarks,
    comments,
    conversations,
    filters,
    likes,
    pending_cleanups,
    polls,
    posts,
    revisions,
    shares,
    stats,
)


def clean_up_post(*, post_id: int) -> None:
    """Delete the data that refers to a deleted post: shares, likes, votes, comments and more.

    Pages never show this data, because they read the post first.
    """
    posts.delete_shares_of_post(post=post_id)
    shares.delete_shares_of(post=post_id)
    likes.delete_likes_of(posts=[post_id])
    polls.delete_votes_of(posts=[post_id])
    bookmarks.delete_bookmarks_of(posts=[post_id])
    filters.remove_post_from_filters(post=post_id)
    conversations.delete_conversations_of(post=post_id)
    for ids in comments.all_comment_ids(post=post_id):
        likes.delete_likes_of(posts=ids)
        bookmarks.delete_bookmarks_of(posts=ids)
    comments.delete_comments_of_post(post=post_id)
    revisions.delete_revisions_of(post=post_id)
    stats.delete_subjects(subjects=[post_id])
    picture_files.discard_pictures_of(post=post_id)
    picture_files.delete_discarded()
    pending_cleanups.remove_cleanup(id=post_id)


def clean_up_comment(*, comment_id: int) -> None:
    """Delete the likes and bookmarks of a deleted comment."""
    likes.delete_likes_of(posts=[comment_id])
    bookmarks.delete_bookmarks_of(posts=[comment_id])
    pending_cleanups.remove_cleanup(id=comment_id)
