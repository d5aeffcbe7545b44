"""What the API sends, as types: ``openapi`` describes them, and mypy holds what is sent to them.

Shapes and names are those of https://docs.joinmastodon.org/entities/. Lists are made at once, with the same
number of commands however long they are.
"""

from .accounts import Account, account_of, accounts_of, listed
from .comments import comment_statuses, statuses_of_comments
from .filters import (
    Filter,
    FilterKeyword,
    FilterStatus,
    V1Filter,
    filter_json,
    keyword,
    v1_filter,
)
from .media import MediaAttachment, attachment
from .statuses import Status, status_of, statuses_of
from .tags import FeaturedTag, Tag, tag_json
from .values import EMPTY, Nothing, absolute, at, html
from .writings import statuses_of_writings

__all__ = [
    "EMPTY",
    "Account",
    "FeaturedTag",
    "Filter",
    "FilterKeyword",
    "FilterStatus",
    "MediaAttachment",
    "Nothing",
    "Status",
    "Tag",
    "V1Filter",
    "absolute",
    "account_of",
    "accounts_of",
    "at",
    "attachment",
    "comment_statuses",
    "filter_json",
    "html",
    "keyword",
    "listed",
    "status_of",
    "statuses_of",
    "statuses_of_comments",
    "statuses_of_writings",
    "tag_json",
    "v1_filter",
]
