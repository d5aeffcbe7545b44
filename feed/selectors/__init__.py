"""What there is to read: the ``home`` timeline, the ``quiet`` view of it, other ``lists`` of posts, and
single posts
with the ``comments`` on them; and which ``tags`` there are.

A page costs a constant number of database commands, whatever its size and however many people one
follows. ``visible`` decides who sees what; ``pages`` turns rows into what templates see.
"""

from .comments import CommentPage, CommentView, comment, comments_page, thread_start
from .deliveries import Progress, delivery_progress, progress_of, unfinished_deliveries
from .home import home_page, oldest_first_page
from .likers import likers_page
from .lists import found_posts_page, post, profile_page, public_page, tag_page
from .pages import HomePage, PostView, Run, TimelinePage
from .quiet import quiet_page
from .tags import Trend, followed_tags, tags_beginning_with, trending_tags

__all__ = [
    "CommentPage",
    "CommentView",
    "HomePage",
    "PostView",
    "Progress",
    "Run",
    "TimelinePage",
    "Trend",
    "comment",
    "comments_page",
    "delivery_progress",
    "followed_tags",
    "found_posts_page",
    "home_page",
    "likers_page",
    "oldest_first_page",
    "post",
    "profile_page",
    "progress_of",
    "public_page",
    "quiet_page",
    "tag_page",
    "tags_beginning_with",
    "thread_start",
    "trending_tags",
    "unfinished_deliveries",
]
