"""Helpers for endpoints about accounts: paging inputs, look-up by id, and pages of accounts."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra.ids import MAX_ID
from accounts.selectors.user_pages import UserPage
from accounts.user_cards import UserCard, find_card

from .plumbing.endpoints import ApiRequest, Page
from .plumbing.inputs import LimitInputs, PageInputs
from .serializers.accounts import serialize_people_rows

MAX_OFFSET = 10_000
"""Maximum offset. Larger offsets are slow, because the database counts all skipped rows for each page."""


class AccountPageInputs(PageInputs):
    max_limit = 80

    limit = serializers.IntegerField(default=40, min_value=0)


class AccountLimitInputs(LimitInputs):
    max_limit = 80

    limit = serializers.IntegerField(default=40, min_value=0)


class AccountOffsetInputs(AccountLimitInputs):
    offset = serializers.IntegerField(default=0, min_value=0)

    def validate_offset(self, offset: int) -> int:
        return min(offset, MAX_OFFSET)


def card_or_404(*, uid: int) -> UserCard:
    """Return the card of a user. Raises Http404 if there is no active account with this uid."""
    card = find_card(uid=uid)
    if card is None:
        raise Http404("No such account.")
    return card


def account_page(*, request: ApiRequest, page: UserPage) -> Page:
    """Serialize a page of users.

    Even the first page links to newer users, because clients use this link to poll for new users.
    """
    older_cursor: Any = page.older_cursor
    min_id = request.inputs["min_id"]
    if page.newest_cursor is None and min_id is not None:
        older_cursor = min(MAX_ID, min_id + 1)
    accounts = serialize_people_rows(rows=page.rows)
    return Page(
        results=accounts,
        older_cursor=older_cursor,
        newer_cursor=page.newer_cursor or page.newest_cursor,
    )
