"""Forms for writing posts and comments, uploading pictures and archives, and searching and filtering."""

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
