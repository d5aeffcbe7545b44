"""Lists of people: who follows whom, who asks to, whom one blocks or mutes, whom one may want to follow."""

from collections.abc import Callable
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts import selectors as people
from accounts import services
from accounts.api import ApiRequest, Inputs, Page, StringField, Who, Window, endpoint

from .entities import EMPTY, Account, Nothing
from .entities.people import accounts_by_id, accounts_seen
from .entities.values import Moment, at
from .found import NotHere
from .people_pages import Further, PeopleBounded, PeopleWindow, people_page, person_or_404


@endpoint("read:accounts", who=Who.ANYBODY, takes=PeopleWindow, returns=list[Account])
def followers(request: ApiRequest, uid: int) -> Any:
    """Who follows somebody; nobody where that is not to be known."""
    return _around(request, uid, people.followers_page)


@endpoint("read:accounts", who=Who.ANYBODY, takes=PeopleWindow, returns=list[Account])
def following(request: ApiRequest, uid: int) -> Any:
    """Whom somebody follows; nobody where that is not to be known."""
    return _around(request, uid, people.following_page)


def _around(request: ApiRequest, uid: int, page_of: Callable[..., people.PeoplePage]) -> Any:
    person_or_404(uid=uid)
    try:
        page = page_of(uid=uid, viewer=request.viewer, **request.window)
    except Http404:
        return []
    return people_page(request=request, page=page)


@endpoint("read:follows", takes=PeopleWindow, returns=list[Account])
def follow_requests(request: ApiRequest) -> Any:
    """Who has asked to follow, and waits for an answer."""
    page = people.follow_requests_page(uid=request.uid, **request.window)
    return people_page(request=request, page=page)


@endpoint("read:blocks", takes=PeopleWindow, returns=list[Account])
def blocks(request: ApiRequest) -> Any:
    """Whom one blocks."""
    page = people.boundaries_page(uid=request.uid, kind="block", **request.window)
    return people_page(request=request, page=page)


class MutedAccount(Account):
    mute_expires_at: Moment | None


@endpoint("read:mutes", takes=PeopleWindow, returns=list[MutedAccount])
def mutes(request: ApiRequest) -> Any:
    """Whom one mutes, and until when."""
    page = people.boundaries_page(uid=request.uid, kind="mute", **request.window)
    until = {str(row.card.uid): row.muted_until for row in page.people}
    listed = people_page(request=request, page=page)
    items = [
        {**one, "mute_expires_at": at(end) if (end := until[one["id"]]) else None}
        for one in listed.items
    ]
    return Page(items=items, older=listed.older, newer=listed.newer)


class DomainWindow(Window):
    most = 200

    limit = serializers.IntegerField(default=100, min_value=1)


class Domain(Inputs):
    domain = StringField(max_length=300)


@endpoint("read:blocks", takes=DomainWindow, returns=list[str])
def domain_blocks(request: ApiRequest) -> Any:
    """None: there are no other sites."""
    return []


@endpoint("write:blocks", takes=Domain, returns=Nothing)
def block_domain(request: ApiRequest) -> Any:
    """Refused: there are no other sites."""
    raise NotHere(_("There are no other sites to block here."))


@endpoint("write:blocks", takes=Domain, returns=Nothing)
def unblock_domain(request: ApiRequest) -> Any:
    """Nothing changes: there are no other sites."""
    return EMPTY


@endpoint("read:accounts", takes=PeopleWindow, returns=list[Account])
def endorsements(request: ApiRequest) -> Any:
    """None: nobody features others here."""
    return []


@endpoint("read:accounts", who=Who.ANYBODY, takes=PeopleWindow, returns=list[Account])
def endorsements_of(request: ApiRequest, uid: int) -> Any:
    """None: nobody features others here."""
    person_or_404(uid=uid)
    return []


class Suggestion(TypedDict):
    source: str
    sources: list[str]
    account: Account


@endpoint("read", takes=PeopleBounded, returns=list[Suggestion])
def suggestions(request: ApiRequest) -> Any:
    """Whom many of those one follows have followed lately."""
    why = {"source": "past_interactions", "sources": ["friends_of_friends"]}
    return [{**why, "account": one} for one in _suggested(request)]


@endpoint("read", takes=PeopleBounded, returns=list[Account])
def suggested_accounts(request: ApiRequest) -> Any:
    """As suggestions, without the reasons."""
    return _suggested(request)


def _suggested(request: ApiRequest) -> list[Account]:
    found = people.suggested_people(viewer=request.uid, limit=request.given["limit"])
    return accounts_by_id(uids=[one.card.uid for one in found], viewer=request.uid)


@endpoint("read", "write", returns=Nothing)
def dismiss_suggestion(request: ApiRequest, uid: int) -> Any:
    """Not to be suggested this person any more."""
    person_or_404(uid=uid)
    services.dismiss_suggestion(viewer=request.uid, uid=uid)
    return EMPTY


class Listed(Further):
    order = serializers.ChoiceField(choices=["active", "new"], required=False, default="active")
    local = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", who=Who.ANYBODY, takes=Listed, returns=list[Account])
def directory(request: ApiRequest) -> Any:
    """Everybody who does not approve followers, whatever the order: the newest first."""
    rows = people.directory(
        viewer=request.viewer, limit=request.given["limit"], offset=request.given["offset"]
    )
    return accounts_seen(rows=rows)
