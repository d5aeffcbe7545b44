"""What there is to read: the ``home`` timeline, the ``quiet`` view of it, other ``lists`` of posts, what
people have ``kept``, ``people_lists``, and single posts with their ``history`` and ``comments``; which
``tags`` there are; and what looks ``suspicious``.

A page costs a constant number of database commands, whatever its size and however many people one
follows. ``visible`` decides who sees what; ``pages`` turns rows into what templates see.
"""

from feed.store.posts import PostRow
from feed.store.reading import home_position

from .arriving import arrived_at_home, arrived_in_public, arrived_on_list
from .comments import (
    CommentOnPost,
    CommentPage,
    CommentView,
    comment,
    comment_by_id,
    comments_page,
    thread_start,
)
from .deliveries import Progress, delivery_progress, progress_of, unfinished_deliveries
from .described import Counts, counts_of
from .facts import (
    Said,
    comment_as_said,
    comment_facts,
    comments_told,
    held_posts,
    mentioned_in,
    post_facts,
    posts_told,
    readers_among,
    reviewers_beside,
)
from .filtering import filters_of, shown_kinds
from .history import HistoryPage, Version, history_page
from .home import home_page, new_posts, oldest_first_page
from .kept import bookmarks_page, is_pinned, pinned_ids, pinned_posts
from .likers import likers_page
from .lists import about_page, found_posts_page, post, profile_page, public_page
from .made import posts_between, posts_by_id, posts_since
from .newest_comments import SEARCHED_COMMENTS, CommentList, comments_with_id, newest_comments_page
from .pages import HomePage, MediaView, PostView, Run, TimelinePage
from .people_lists import list_page, lists_of, people_list, people_on
from .quiet import quiet_page
from .suspicious import fingerprint, is_new_account, suspicious_in
from .tags import Trend, followed_tags, tags_beginning_with, trending_tags
from .writings import Writing, writings

__all__ = [
    "SEARCHED_COMMENTS",
    "CommentList",
    "CommentOnPost",
    "CommentPage",
    "CommentView",
    "Counts",
    "HistoryPage",
    "HomePage",
    "MediaView",
    "PostRow",
    "PostView",
    "Progress",
    "Run",
    "Said",
    "TimelinePage",
    "Trend",
    "Version",
    "Writing",
    "about_page",
    "arrived_at_home",
    "arrived_in_public",
    "arrived_on_list",
    "bookmarks_page",
    "comment",
    "comment_as_said",
    "comment_by_id",
    "comment_facts",
    "comments_page",
    "comments_told",
    "comments_with_id",
    "counts_of",
    "delivery_progress",
    "filters_of",
    "fingerprint",
    "followed_tags",
    "found_posts_page",
    "held_posts",
    "history_page",
    "home_page",
    "home_position",
    "is_new_account",
    "is_pinned",
    "likers_page",
    "list_page",
    "lists_of",
    "mentioned_in",
    "new_posts",
    "newest_comments_page",
    "oldest_first_page",
    "people_list",
    "people_on",
    "pinned_ids",
    "pinned_posts",
    "post",
    "post_facts",
    "posts_between",
    "posts_by_id",
    "posts_since",
    "posts_told",
    "profile_page",
    "progress_of",
    "public_page",
    "quiet_page",
    "readers_among",
    "reviewers_beside",
    "shown_kinds",
    "suspicious_in",
    "tags_beginning_with",
    "thread_start",
    "trending_tags",
    "unfinished_deliveries",
    "writings",
]
