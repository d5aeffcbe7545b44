"""What people may publish (``posts``, ``pictures``, ``comments``), and how they choose what to read
(``reading``)."""

from .comments import CommentForm
from .posts import PostEditForm, PostForm
from .reading import FilterForm, ListForm, SearchForm
from .words import EditForm

__all__ = [
    "CommentForm",
    "EditForm",
    "FilterForm",
    "ListForm",
    "PostEditForm",
    "PostForm",
    "SearchForm",
]
