"""What the API sends, as types: ``openapi`` describes them, and mypy holds what is sent to them.

Shapes and names are those of https://docs.joinmastodon.org/entities/. Lists are made at once, with the same
number of commands however long they are.
"""

from .accounts import Account, account_of, accounts_of
from .comments import comment_statuses
from .media import MediaAttachment, attachment
from .statuses import Status, status_of, statuses_of
from .values import EMPTY, Nothing, absolute, at, html
from .writings import statuses_of_writings

__all__ = [
    "EMPTY",
    "Account",
    "MediaAttachment",
    "Nothing",
    "Status",
    "absolute",
    "account_of",
    "accounts_of",
    "at",
    "attachment",
    "comment_statuses",
    "html",
    "status_of",
    "statuses_of",
    "statuses_of_writings",
]
