"""Forms for posts, comments, pictures, archives, lists, filters, search and the steps after sign-up."""

from .comments import CommentForm
from .lists_and_filters import FilterForm, ListForm, SearchForm
from .posts import PostEditForm, PostForm
from .text import TextForm
from .welcome import PeopleForm, TopicsForm

__all__ = [
    "CommentForm",
    "FilterForm",
    "ListForm",
    "PeopleForm",
    "PostEditForm",
    "PostForm",
    "SearchForm",
    "TextForm",
    "TopicsForm",
]
