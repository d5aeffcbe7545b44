"""What the endpoints of people share: how lists of them go on, and the one road from an id to a person."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Bounded, Page, Window
from accounts.ids import MAX_ID
from accounts.selectors import PeoplePage
from accounts.user_cards import UserCard, card

from .entities.people import accounts_seen

FURTHEST = 10_000
"""No list goes on so far by offsets: they are counted anew for each page."""


class PeopleWindow(Window):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class PeopleBounded(Bounded):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class Further(PeopleBounded):
    offset = serializers.IntegerField(default=0, min_value=0)

    def validate_offset(self, offset: int) -> int:
        return min(offset, FURTHEST)


def person_or_404(*, uid: int) -> UserCard:
    """Raises Http404 for who is not there, or not any more."""
    found = card(uid=uid)
    if found is None:
        raise Http404("No such person.")
    return found


def people_page(*, request: ApiRequest, page: PeoplePage) -> Page:
    """Links both ways: upwards also from the first page, for clients ask for what is new."""
    older: Any = page.older
    above = request.given["min_id"]
    if page.newest is None and above is not None:
        older = min(MAX_ID, above + 1)
    items = accounts_seen(rows=page.people)
    return Page(items=items, older=older, newer=page.newer or page.newest)
