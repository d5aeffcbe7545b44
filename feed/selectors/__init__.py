"""What there is to read: the ``home`` timeline, other ``lists`` of posts, and single posts.

A page costs a constant number of database commands, whatever its size and however many people one
follows. ``pages`` turns rows into what templates see.
"""

from .home import home_page
from .lists import post, profile_page, public_page
from .pages import PostView, TimelinePage

__all__ = [
    "PostView",
    "TimelinePage",
    "home_page",
    "post",
    "profile_page",
    "public_page",
]
