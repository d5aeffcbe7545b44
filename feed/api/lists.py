"""Lists of people, to read them apart."""

from typing import Any, TypedDict

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.api import ApiRequest, Ids, Inputs, OnlyAllowed, TextField, endpoint
from feed import selectors, services
from feed.selectors import PeopleList

from .around import People, people_page
from .entities import EMPTY, Account, Nothing
from .entities.values import Id

POLICIES = ("followed", "list", "none")
MOST_PEOPLE = 500


class List(TypedDict):
    """https://docs.joinmastodon.org/entities/List/. Comments are in no list, and whoever is on one is at
    home, too."""

    id: Id
    title: str
    replies_policy: str
    exclusive: bool


class Titled(Inputs):
    """``replies_policy`` changes nothing: comments are in no list, and apps send it with every list."""

    title = TextField(required=True, allow_blank=False, max_length=60, one_line=True)
    replies_policy = serializers.ChoiceField(choices=POLICIES, required=False, default="none")
    exclusive = serializers.BooleanField(
        required=False,
        default=False,
        validators=[OnlyAllowed(_("Posts of a list cannot be kept out of home here."), False)],
    )


class Retitled(Titled):
    title = TextField(max_length=60, one_line=True)


class Chosen(Inputs):
    account_ids = Ids(max_length=100)


class OnList(People):
    """``limit``: 0 for all."""

    limit = serializers.IntegerField(default=40, min_value=0)

    def validate_limit(self, limit: int) -> int:
        return min(limit, self.most) or MOST_PEOPLE


def list_json(one: PeopleList) -> List:
    return {"id": str(one.id), "title": one.title, "replies_policy": "none", "exclusive": False}


@endpoint("read:lists", returns=list[List])
def several(request: ApiRequest) -> Any:
    """All of one's own."""
    return [list_json(one) for one in selectors.lists_of(owner=request.uid)]


@endpoint("read:lists", returns=List)
def show(request: ApiRequest, list_id: int) -> Any:
    """One of one's own."""
    return list_json(selectors.people_list(owner=request.uid, list_id=list_id))


@endpoint("write:lists", takes=Titled, returns=List)
def create(request: ApiRequest) -> Any:
    """Make one."""
    made = services.create_list(owner=request.person, title=request.given["title"])
    return list_json(selectors.people_list(owner=request.uid, list_id=made))


@endpoint("write:lists", takes=Retitled, returns=List)
def rename(request: ApiRequest, list_id: int) -> Any:
    """Give it another name."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    if request.given["title"]:
        services.rename_list(owner=request.person, list_id=found.id, title=request.given["title"])
    return list_json(selectors.people_list(owner=request.uid, list_id=list_id))


@endpoint("write:lists", returns=Nothing)
def delete(request: ApiRequest, list_id: int) -> Any:
    """Delete it; the people on it are not told."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    services.delete_list(owner=request.person, list_id=found.id)
    return EMPTY


@endpoint("read:lists", takes=OnList, returns=list[Account])
def accounts(request: ApiRequest, list_id: int) -> Any:
    """Who is on it, the last added first."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    return people_page(selectors.uids_on(found=found, owner=request.uid, **request.window))


@endpoint("write:lists", takes=Chosen, returns=Nothing)
def add_accounts(request: ApiRequest, list_id: int) -> Any:
    """Put people on it whom one follows."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    services.add_to_list(owner=request.person, found=found, uids=request.given["account_ids"])
    return EMPTY


@endpoint("write:lists", takes=Chosen, returns=Nothing)
def remove_accounts(request: ApiRequest, list_id: int) -> Any:
    """Take people off it."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    services.remove_from_list(
        owner=request.person, list_id=found.id, uids=request.given["account_ids"]
    )
    return EMPTY
