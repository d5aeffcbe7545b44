"""Lists of people: who follows whom, who asks to, whom one blocks or mutes, whom one may want to follow."""

from collections.abc import Callable
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import Inputs, PageInputs, StringField
from accounts.infra.api.pages import Page
from accounts.selectors.suggestions import suggested_users
from accounts.selectors.user_pages import (
    UserPage,
    blocked_or_muted_page,
    directory_users,
    follow_requests_page,
    followers_page,
    following_page,
)
from accounts.services import follows as accounts_suggestions
from feed.api.serializers.accounts import Account
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject

from .account_pages import (
    AccountLimitInputs,
    AccountOffsetInputs,
    AccountPageInputs,
    account_page,
    card_or_404,
)
from .serializers.accounts import serialize_accounts_for, serialize_people_rows
from .serializers.values import DateTime, format_datetime
from .status_lookup import NotSupported


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def followers(request: ApiRequest, uid: int) -> Any:
    """Who follows somebody; nobody where that is not to be known."""
    return _around(request, uid, followers_page)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def following(request: ApiRequest, uid: int) -> Any:
    """Whom somebody follows; nobody where that is not to be known."""
    return _around(request, uid, following_page)


def _around(request: ApiRequest, uid: int, page_of: Callable[..., UserPage]) -> Any:
    card_or_404(uid=uid)
    try:
        page = page_of(uid=uid, viewer=request.viewer_id, **request.page_bounds)
    except Http404:
        return []
    return account_page(request=request, page=page)


@endpoint("read:follows", inputs=AccountPageInputs, returns=list[Account])
def follow_requests(request: ApiRequest) -> Any:
    """Who has asked to follow, and waits for an answer."""
    page = follow_requests_page(uid=request.uid, **request.page_bounds)
    return account_page(request=request, page=page)


@endpoint("read:blocks", inputs=AccountPageInputs, returns=list[Account])
def blocks(request: ApiRequest) -> Any:
    """Whom one blocks."""
    page = blocked_or_muted_page(uid=request.uid, kind="block", **request.page_bounds)
    return account_page(request=request, page=page)


class MutedAccount(Account):
    mute_expires_at: DateTime | None


@endpoint("read:mutes", inputs=AccountPageInputs, returns=list[MutedAccount])
def mutes(request: ApiRequest) -> Any:
    """Whom one mutes, and until when."""
    page = blocked_or_muted_page(uid=request.uid, kind="mute", **request.page_bounds)
    until = {str(row.card.uid): row.muted_until for row in page.rows}
    listed = account_page(request=request, page=page)
    items = [
        {**one, "mute_expires_at": format_datetime(end) if (end := until[one["id"]]) else None}
        for one in listed.results
    ]
    return Page(results=items, older_cursor=listed.older_cursor, newer_cursor=listed.newer_cursor)


class DomainPageInputs(PageInputs):
    most = 200

    limit = serializers.IntegerField(default=100, min_value=1)


class DomainInputs(Inputs):
    domain = StringField(max_length=300)


@endpoint("read:blocks", inputs=DomainPageInputs, returns=list[str])
def domain_blocks(request: ApiRequest) -> Any:
    """None: there are no other sites."""
    return []


@endpoint("write:blocks", inputs=DomainInputs, returns=EmptyObject)
def block_domain(request: ApiRequest) -> Any:
    """Refused: there are no other sites."""
    raise NotSupported(_("There are no other sites to block here."))


@endpoint("write:blocks", inputs=DomainInputs, returns=EmptyObject)
def unblock_domain(request: ApiRequest) -> Any:
    """Nothing changes: there are no other sites."""
    return EMPTY_OBJECT


@endpoint("read:accounts", inputs=AccountPageInputs, returns=list[Account])
def endorsements(request: ApiRequest) -> Any:
    """None: nobody features others here."""
    return []


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def account_endorsements(request: ApiRequest, uid: int) -> Any:
    """None: nobody features others here."""
    card_or_404(uid=uid)
    return []


class Suggestion(TypedDict):
    source: str
    sources: list[str]
    account: Account


@endpoint("read", inputs=AccountLimitInputs, returns=list[Suggestion])
def suggestions(request: ApiRequest) -> Any:
    """Whom many of those one follows have followed lately."""
    why = {"source": "past_interactions", "sources": ["friends_of_friends"]}
    return [{**why, "account": one} for one in _suggested(request)]


@endpoint("read", inputs=AccountLimitInputs, returns=list[Account])
def suggested_accounts(request: ApiRequest) -> Any:
    """As suggestions, without the reasons."""
    return _suggested(request)


def _suggested(request: ApiRequest) -> list[Account]:
    found = suggested_users(viewer=request.uid, limit=request.inputs["limit"])
    return serialize_accounts_for(uids=[one.card.uid for one in found], viewer=request.uid)


@endpoint("read", "write", returns=EmptyObject)
def dismiss_suggestion(request: ApiRequest, uid: int) -> Any:
    """Not to be suggested this person any more."""
    card_or_404(uid=uid)
    accounts_suggestions.dismiss_suggestion(viewer=request.uid, uid=uid)
    return EMPTY_OBJECT


class DirectoryInputs(AccountOffsetInputs):
    order = serializers.ChoiceField(choices=["active", "new"], required=False, default="active")
    local = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=DirectoryInputs, returns=list[Account])
def directory(request: ApiRequest) -> Any:
    """Everybody who does not approve followers, whatever the order: the newest first."""
    rows = directory_users(
        viewer=request.viewer_id, limit=request.inputs["limit"], offset=request.inputs["offset"]
    )
    return serialize_people_rows(rows=rows)
