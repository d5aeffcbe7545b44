"""Forms for writing posts and comments, uploading pictures and archives, and searching and filtering."""

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
