"""User lists and their members. ``timelines`` returns the timeline of a list."""

from typing import Any, TypedDict

from rest_framework import serializers

from feed.selectors.user_lists import list_member_uid_page, owned_list, owned_lists
from feed.services import user_lists
from feed.store.user_lists import LIST, REPLIES_POLICIES, UserList

from .account_lists import MAX_ACCOUNTS, AccountPageInputs
from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import OPTIONAL, IdListField, Inputs, TextField
from .serializers.accounts import Account
from .serializers.values import EmptyObject, Id
from .status_details import account_page_from_uids


class List(TypedDict):
    """https://docs.joinmastodon.org/entities/List/

    The timeline of a list contains no comments. ``replies_policy`` is about posts that report a comment.
    """

    id: Id
    title: str
    replies_policy: str
    exclusive: bool


class ListInputs(Inputs):
    title = TextField(required=True, allow_blank=False, max_length=60, one_line=True)
    replies_policy = serializers.ChoiceField(choices=REPLIES_POLICIES, required=False, default=LIST)
    exclusive = serializers.BooleanField(required=False, default=False)


class ListUpdateInputs(Inputs):
    """Properties without a value keep theirs."""

    title = TextField(max_length=60, one_line=True, allow_blank=False)
    replies_policy = serializers.ChoiceField(choices=REPLIES_POLICIES, **OPTIONAL)
    exclusive = serializers.BooleanField(**OPTIONAL)


class ListAccountsInputs(Inputs):
    account_ids = IdListField(max_length=100)


class ListPageInputs(AccountPageInputs):
    """A ``limit`` of 0 returns a page of the maximum length."""

    def validate_limit(self, limit: int) -> int:
        return limit or MAX_ACCOUNTS


def serialize_list(user_list: UserList) -> List:
    return {
        "id": str(user_list.id),
        "title": user_list.title,
        "replies_policy": user_list.replies_policy,
        "exclusive": user_list.is_exclusive,
    }


@endpoint("read:lists", returns=list[List])
def index(request: ApiRequest) -> Any:
    """Return the caller's lists."""
    return [serialize_list(user_list) for user_list in owned_lists(owner=request.uid)]


@endpoint("read:lists", returns=List)
def show(request: ApiRequest, list_id: int) -> Any:
    """Return a list."""
    return serialize_list(owned_list(owner=request.uid, list_id=list_id))


@endpoint("write:lists", inputs=ListInputs, returns=List)
def create(request: ApiRequest) -> Any:
    """Create a list."""
    list_id = user_lists.create_list(
        owner=request.signed_in_user,
        title=request.inputs["title"],
        is_exclusive=request.inputs["exclusive"],
        replies_policy=request.inputs["replies_policy"],
    )
    return serialize_list(owned_list(owner=request.uid, list_id=list_id))


@endpoint("write:lists", inputs=ListUpdateInputs, returns=List)
def update(request: ApiRequest, list_id: int) -> Any:
    """Change the properties of a list."""
    user_list = owned_list(owner=request.uid, list_id=list_id)
    user_lists.update_list(
        owner=request.signed_in_user,
        list_id=user_list.id,
        title=request.inputs["title"] or None,
        is_exclusive=request.inputs["exclusive"],
        replies_policy=request.inputs["replies_policy"],
    )
    return serialize_list(owned_list(owner=request.uid, list_id=list_id))


@endpoint("write:lists", returns=EmptyObject)
def delete(request: ApiRequest, list_id: int) -> None:
    """Delete a list. Its members are not notified."""
    user_list = owned_list(owner=request.uid, list_id=list_id)
    user_lists.delete_list(owner=request.signed_in_user, list_id=user_list.id)


@endpoint("read:lists", inputs=ListPageInputs, returns=list[Account])
def index_accounts(request: ApiRequest, list_id: int) -> Any:
    """Return the accounts on a list, last added first."""
    user_list = owned_list(owner=request.uid, list_id=list_id)
    return account_page_from_uids(
        list_member_uid_page(user_list=user_list, owner=request.uid, bounds=request.page_bounds)
    )


@endpoint("write:lists", inputs=ListAccountsInputs, returns=EmptyObject)
def add_accounts(request: ApiRequest, list_id: int) -> None:
    """Add accounts to a list. The caller must follow the accounts."""
    user_list = owned_list(owner=request.uid, list_id=list_id)
    user_lists.add_to_list(
        owner=request.signed_in_user, user_list=user_list, uids=request.inputs["account_ids"]
    )


@endpoint("write:lists", inputs=ListAccountsInputs, returns=EmptyObject)
def remove_accounts(request: ApiRequest, list_id: int) -> None:
    """Remove accounts from a list."""
    user_list = owned_list(owner=request.uid, list_id=list_id)
    user_lists.remove_from_list(
        owner=request.signed_in_user, list_id=user_list.id, uids=request.inputs["account_ids"]
    )
