"""What there is to read: the ``home`` timeline, the ``quiet`` view of it, other ``lists`` of posts, what
people keep and like (``writings``), what is ``pinned``, ``people_lists``, and single posts with their
``history``, ``comments`` (all of them: ``conversation``) and ``reactions``; which ``tags`` there are and
which posts trend (``trending_posts``); and what looks ``suspicious``.

A page costs a constant number of database commands, whatever its size and however many people one
follows. ``visible`` decides who sees what; ``pages`` turns rows into what templates see.
"""

from feed.store.filters import Filter, Phrase
from feed.store.people_lists import PeopleList
from feed.store.reading import home_position
from feed.store.rows import PostRow
from feed.store.server import data_bytes as database_bytes
from feed.store.server import version as server_version

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
from .conversation import MOST_READ, Conversation, conversation
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
from .filtering import Folding, filter_of, filter_with, filters_of, shown_kinds
from .history import HistoryPage, Version, all_versions, history_page
from .home import home_page, new_posts, oldest_first_page
from .insights import (
    PERIODS,
    Insights,
    Period,
    Series,
    account_insights,
    cohort_days,
    post_insights,
    site_days,
    site_series,
)
from .likers import likers_page
from .lists import about_page, direct_page, found_posts_page, post, profile_page, public_page
from .made import posts_by_id, posts_since
from .newest_comments import SEARCHED_COMMENTS, CommentList, comments_with_id, newest_comments_page
from .pages import HomePage, MediaView, PostView, Run, TimelinePage
from .people_lists import list_page, lists_of, people_list, people_on, uids_on
from .pictures import own_picture, picture_signed_for, picture_view
from .pinned import is_pinned, pinned_ids, pinned_posts
from .positions import UidPage
from .quiet import quiet_page
from .reactions import liker_uids, sharer_uids
from .suspicious import fingerprint, is_new_account, suspicious_in
from .tags import (
    TagPage,
    Trend,
    followed_tags,
    followed_tags_page,
    tags_beginning_with,
    trending_tags,
)
from .trending_posts import trending_posts
from .writings import (
    Writing,
    WritingsPage,
    bookmarks_page,
    likes_page,
    visible_post_ids,
    writings,
)

__all__ = [
    "MOST_READ",
    "PERIODS",
    "SEARCHED_COMMENTS",
    "CommentList",
    "CommentOnPost",
    "CommentPage",
    "CommentView",
    "Conversation",
    "Counts",
    "Filter",
    "Folding",
    "HistoryPage",
    "HomePage",
    "Insights",
    "MediaView",
    "PeopleList",
    "Period",
    "Phrase",
    "PostRow",
    "PostView",
    "Progress",
    "Run",
    "Said",
    "Series",
    "TagPage",
    "TimelinePage",
    "Trend",
    "UidPage",
    "Version",
    "Writing",
    "WritingsPage",
    "about_page",
    "account_insights",
    "all_versions",
    "arrived_at_home",
    "arrived_in_public",
    "arrived_on_list",
    "bookmarks_page",
    "cohort_days",
    "comment",
    "comment_as_said",
    "comment_by_id",
    "comment_facts",
    "comments_page",
    "comments_told",
    "comments_with_id",
    "conversation",
    "counts_of",
    "database_bytes",
    "delivery_progress",
    "direct_page",
    "filter_of",
    "filter_with",
    "filters_of",
    "fingerprint",
    "followed_tags",
    "followed_tags_page",
    "found_posts_page",
    "held_posts",
    "history_page",
    "home_page",
    "home_position",
    "is_new_account",
    "is_pinned",
    "liker_uids",
    "likers_page",
    "likes_page",
    "list_page",
    "lists_of",
    "mentioned_in",
    "new_posts",
    "newest_comments_page",
    "oldest_first_page",
    "own_picture",
    "people_list",
    "people_on",
    "picture_signed_for",
    "picture_view",
    "pinned_ids",
    "pinned_posts",
    "post",
    "post_facts",
    "post_insights",
    "posts_by_id",
    "posts_since",
    "posts_told",
    "profile_page",
    "progress_of",
    "public_page",
    "quiet_page",
    "readers_among",
    "reviewers_beside",
    "server_version",
    "sharer_uids",
    "shown_kinds",
    "site_days",
    "site_series",
    "suspicious_in",
    "tags_beginning_with",
    "thread_start",
    "trending_posts",
    "trending_tags",
    "uids_on",
    "unfinished_deliveries",
    "visible_post_ids",
    "writings",
]
