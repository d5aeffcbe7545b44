"""What the endpoints of people share: how lists of them go on, and the one road from an id to a person."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest
from accounts.infra.api.inputs import LimitInputs, PageInputs
from accounts.infra.api.pages import Page
from accounts.infra.ids import MAX_ID
from accounts.selectors.user_pages import UserPage
from accounts.user_cards import UserCard, find_card

from .serializers.accounts import serialize_people_rows

MAX_OFFSET = 10_000
"""No list goes on so far by offsets: they are counted anew for each page."""


class AccountPageInputs(PageInputs):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class AccountLimitInputs(LimitInputs):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class AccountOffsetInputs(AccountLimitInputs):
    offset = serializers.IntegerField(default=0, min_value=0)

    def validate_offset(self, offset: int) -> int:
        return min(offset, MAX_OFFSET)


def card_or_404(*, uid: int) -> UserCard:
    """Raises Http404 for who is not there, or not any more."""
    found = find_card(uid=uid)
    if found is None:
        raise Http404("No such person.")
    return found


def account_page(*, request: ApiRequest, page: UserPage) -> Page:
    """Links both ways: upwards also from the first page, for clients ask for what is new."""
    older: Any = page.older_cursor
    above = request.inputs["min_id"]
    if page.newest_cursor is None and above is not None:
        older = min(MAX_ID, above + 1)
    items = serialize_people_rows(rows=page.rows)
    return Page(
        results=items, older_cursor=older, newer_cursor=page.newer_cursor or page.newest_cursor
    )
