"""Delete what refers to a deleted post or comment. Each function is safe to repeat and to interrupt."""

from feed import picture_files
from feed.store import comments, filters, pending_cleanups, posts, stats


def clean_up_post(*, post_id: int) -> None:
    """Delete the data that refers to a deleted post: shares, likes, answers, comments and more.

    Pages never show this data, because they read the post first.
    """
    posts.delete_shares_of_post(post=post_id)
    filters.remove_post_from_filters(post=post_id)
    for ids in comments.all_comment_ids(post=post_id):
        pending_cleanups.delete_comment_data(ids=ids)
    pending_cleanups.delete_post_data(id=post_id)
    stats.delete_subjects(subjects=[post_id])
    picture_files.discard_pictures_of(post=post_id)
    picture_files.delete_discarded()
    pending_cleanups.remove_cleanup(id=post_id)


def clean_up_comment(*, comment_id: int) -> None:
    """Delete the likes and bookmarks of a deleted comment."""
    pending_cleanups.delete_comment_data(ids=[comment_id])
    pending_cleanups.remove_cleanup(id=comment_id)
