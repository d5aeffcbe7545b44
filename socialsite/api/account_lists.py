"""Lists of accounts: followers, follow requests, blocks, mutes, suggestions and the directory."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.ids import MAX_ID
from accounts.infra.refusals import Refused
from accounts.selectors import user_pages
from accounts.selectors.suggestions import Reason
from accounts.services import follows as follow_services
from accounts.user_cards import UserCard, find_card
from feed.selectors.people import active_uids, suggested_people

from .plumbing.endpoints import ApiRequest, Caller, Page, endpoint
from .plumbing.inputs import IdListField, Inputs, LimitField, PageInputs, StringField
from .serializers.accounts import Account, serialize_accounts_for, serialize_people_rows
from .serializers.values import DateTime, EmptyObject, format_datetime

MAX_ACCOUNTS = 80
MAX_OFFSET = 10_000
"""Maximum offset. Larger offsets are slow, because the database counts all skipped rows for each page."""


class AccountIdsInputs(Inputs):
    id = IdListField(max_length=80)


class AccountPageInputs(PageInputs):
    limit = LimitField(40, maximum=MAX_ACCOUNTS)


class AccountLimitInputs(Inputs):
    limit = LimitField(40, maximum=MAX_ACCOUNTS)


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


def account_page(*, request: ApiRequest, page: user_pages.UserPage) -> Page:
    accounts = serialize_people_rows(rows=page.rows)
    page_of_accounts = Page.around(page, accounts, first_cursor=page.newest_cursor)
    min_id = request.inputs["min_id"]
    if page.newest_cursor is None and min_id is not None:
        return replace(page_of_accounts, older_cursor=min(MAX_ID, min_id + 1))
    return page_of_accounts


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def followers(request: ApiRequest, uid: int) -> Any:
    """Return an account's followers. The list is empty if the caller may not see the followers."""
    return _serialize_follow_page(request, uid, user_pages.followers_page)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def following(request: ApiRequest, uid: int) -> Any:
    """Return the accounts that an account follows. The list is empty if the caller may not see it."""
    return _serialize_follow_page(request, uid, user_pages.following_page)


def _serialize_follow_page(
    request: ApiRequest, uid: int, select_page: Callable[..., user_pages.UserPage]
) -> Any:
    card_or_404(uid=uid)
    try:
        page = select_page(uid=uid, viewer=request.viewer_id, bounds=request.page_bounds)
    except Http404:
        return []
    return account_page(request=request, page=page)


@endpoint("read:follows", inputs=AccountPageInputs, returns=list[Account])
def follow_requests(request: ApiRequest) -> Any:
    """Return the accounts whose follow requests the caller has not yet accepted or rejected."""
    page = user_pages.follow_requests_page(uid=request.uid, bounds=request.page_bounds)
    return account_page(request=request, page=page)


@endpoint("read:blocks", inputs=AccountPageInputs, returns=list[Account])
def blocks(request: ApiRequest) -> Any:
    """Return the accounts that the caller blocks."""
    page = user_pages.blocked_or_muted_page(
        uid=request.uid, kind="block", bounds=request.page_bounds
    )
    return account_page(request=request, page=page)


class MutedAccount(Account):
    mute_expires_at: DateTime | None


@endpoint("read:mutes", inputs=AccountPageInputs, returns=list[MutedAccount])
def mutes(request: ApiRequest) -> Any:
    """Return the accounts that the caller mutes. ``mute_expires_at`` is null for permanent mutes."""
    page = user_pages.blocked_or_muted_page(
        uid=request.uid, kind="mute", bounds=request.page_bounds
    )
    muted_until_by_id = {str(row.card.uid): row.muted_until for row in page.rows}
    page_of_accounts = account_page(request=request, page=page)
    accounts = [
        {
            **account,
            "mute_expires_at": format_datetime(muted_until)
            if (muted_until := muted_until_by_id[account["id"]])
            else None,
        }
        for account in page_of_accounts.results
    ]
    return replace(page_of_accounts, results=accounts)


class DomainPageInputs(PageInputs):
    limit = LimitField(100, maximum=200)


class DomainInputs(Inputs):
    domain = StringField(max_length=300)


@endpoint("read:blocks", inputs=DomainPageInputs, returns=list[str])
def domain_blocks(request: ApiRequest) -> Any:
    """Return an empty list, because this site is not connected to other sites."""
    return []


@endpoint("write:blocks", inputs=DomainInputs, returns=EmptyObject)
def block_domain(request: ApiRequest) -> None:
    """Refuse the request, because this site is not connected to other sites."""
    raise Refused(_("Blocking other sites is not supported here."))


@endpoint("write:blocks", inputs=DomainInputs, returns=EmptyObject)
def unblock_domain(request: ApiRequest) -> None:
    """Change nothing, because this site is not connected to other sites."""


@endpoint("read:accounts", inputs=AccountPageInputs, returns=list[Account])
def endorsements(request: ApiRequest) -> Any:
    """Return the accounts that the caller features, the newest first."""
    return _serialize_follow_page(request, request.uid, user_pages.featured_page)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountPageInputs, returns=list[Account])
def account_endorsements(request: ApiRequest, uid: int) -> Any:
    """Return the accounts that an account features, the newest first.

    The list is empty if the caller may not see whom the account follows.
    """
    return _serialize_follow_page(request, uid, user_pages.featured_page)


API_REASONS = {
    Reason.INVITED_VIEWER: ("past_interactions", "friends_of_friends"),
    Reason.INVITED_BY_VIEWER: ("past_interactions", "friends_of_friends"),
    Reason.TOPIC: ("past_interactions", "similar_to_recently_followed"),
    Reason.FOLLOWED: ("past_interactions", "friends_of_friends"),
    Reason.RECOMMENDED: ("staff", "featured"),
    Reason.NEW: ("global", "most_interactions"),
    Reason.ACTIVE: ("global", "most_followed"),
}
"""Mastodon's names of the reasons: ``source`` and the item of ``sources``."""


class Suggestion(TypedDict):
    source: str
    sources: list[str]
    account: Account


@endpoint("read", inputs=AccountLimitInputs, returns=list[Suggestion])
def suggestions(request: ApiRequest) -> Any:
    """Suggest accounts to follow, by topics, friends, recommendations and activity."""
    people = suggested_people(viewer=request.uid, limit=request.inputs["limit"])
    reasons = {suggestion.card.uid: API_REASONS[suggestion.reason] for suggestion in people}
    accounts = serialize_accounts_for(uids=list(reasons), viewer=request.uid)
    return [
        {"source": source, "sources": [name], "account": account}
        for account in accounts
        for source, name in [reasons[int(account["id"])]]
    ]


@endpoint("read", inputs=AccountLimitInputs, returns=list[Account])
def suggested_accounts(request: ApiRequest) -> Any:
    """Suggest accounts to follow, without the reasons. Older clients use this endpoint."""
    return [suggestion["account"] for suggestion in suggestions(request)]


@endpoint("read", "write", returns=EmptyObject)
def dismiss_suggestion(request: ApiRequest, uid: int) -> None:
    """Stop suggesting an account to the caller."""
    card_or_404(uid=uid)
    follow_services.dismiss_suggestion(viewer=request.uid, uid=uid)


class DirectoryInputs(AccountOffsetInputs):
    order = serializers.ChoiceField(choices=["active", "new"], required=False, default="active")
    local = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=DirectoryInputs, returns=list[Account])
def directory(request: ApiRequest) -> Any:
    """Return public accounts. With ``order=active``, accounts that are active now come first.

    Otherwise the newest accounts come first. Private accounts are not listed.
    """
    rows = user_pages.directory_users(
        viewer=request.viewer_id,
        limit=request.inputs["limit"],
        offset=request.inputs["offset"],
        first_uids=active_uids() if request.inputs["order"] == "active" else (),
    )
    return serialize_people_rows(rows=rows)
