"""Forms for posts, comments, pictures, archives, lists, filters, search and the steps after sign-up."""

from .comments import CommentEditForm, CommentForm, ReplyDraftForm
from .lists_and_filters import (
    FeaturedTagForm,
    FilterForm,
    FilterPostForm,
    ListForm,
    ListOptionsForm,
    SearchForm,
)
from .posts import ComposerDefaults, PostEditForm, PostForm
from .text import MessageForm, RecipientForm, TextForm
from .welcome import PeopleForm, TopicsForm

__all__ = [
    "CommentEditForm",
    "CommentForm",
    "ComposerDefaults",
    "FeaturedTagForm",
    "FilterForm",
    "FilterPostForm",
    "ListForm",
    "ListOptionsForm",
    "MessageForm",
    "PeopleForm",
    "PostEditForm",
    "PostForm",
    "RecipientForm",
    "ReplyDraftForm",
    "SearchForm",
    "TextForm",
    "TopicsForm",
]
