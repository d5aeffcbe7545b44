"""Forms for posts, comments, pictures, archives, lists, filters and search."""

from .comments import CommentForm
from .lists_and_filters import FilterForm, ListForm, SearchForm
from .posts import PostEditForm, PostForm
from .text import TextForm

__all__ = [
    "CommentForm",
    "FilterForm",
    "ListForm",
    "PostEditForm",
    "PostForm",
    "SearchForm",
    "TextForm",
]
