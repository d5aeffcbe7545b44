"""What people may publish (``posts``, ``pictures``, ``comments``), and how they choose what to read
(``reading``)."""

from .posts import PostEditForm, PostForm
from .reading import FilterForm, ListForm, SearchForm
from .text import TextForm
from .words import CommentForm

__all__ = [
    "CommentForm",
    "FilterForm",
    "ListForm",
    "PostEditForm",
    "PostForm",
    "SearchForm",
    "TextForm",
]
