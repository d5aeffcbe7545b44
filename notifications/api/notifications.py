"""What one was told, one by one. Reading it marks nothing as read: apps say so by ``markers``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Bounded, IdField, Inputs, Page, StringField, Window, endpoint
from feed.api.entities import EMPTY, Nothing
from notifications import selectors, services

from .entities import Notification, kinds_of, notifications_of


class Count(TypedDict):
    count: int


class Types(serializers.ListField):
    """Those that are not known here there are none of."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("child", StringField(max_length=50))
        super().__init__(default=list, max_length=50, **kwargs)


class Chosen(Bounded):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)
    types = Types()
    exclude_types = Types()
    account_id = IdField()


class Notifications(Chosen, Window):
    limit = serializers.IntegerField(default=40, min_value=1)
    include_filtered = serializers.BooleanField(required=False, default=False)


class Unread(Chosen):
    most = 1000

    limit = serializers.IntegerField(default=100, min_value=1)


class DismissedNotification(Inputs):
    id = IdField()


def kinds_asked(request: ApiRequest) -> list[str]:
    given = request.given
    return kinds_of(types=given["types"], but=given["exclude_types"])


def with_held(request: ApiRequest) -> bool:
    """Also what waits to be let in; of one person all is shown, as the pages of requests ask for it."""
    return bool(request.given["include_filtered"] or request.given["account_id"] is not None)


@endpoint("read:notifications", takes=Notifications, returns=list[Notification])
def listed(request: ApiRequest) -> Any:
    """What one was told, the newest first."""
    page = selectors.singles_page(
        reader=request.uid,
        kinds=kinds_asked(request),
        actor=request.given["account_id"],
        with_held=with_held(request),
        **request.window,
    )
    items = notifications_of(told=page.notifications, reader=request.uid)
    return Page(items=items, older=page.older, newer=page.newer)


@endpoint("read:notifications", returns=Notification)
def show(request: ApiRequest, notification_id: int) -> Any:
    """One of them."""
    return notifications_of(told=[_found(request, notification_id)], reader=request.uid)[0]


@endpoint("write:notifications", returns=Nothing)
def dismiss(request: ApiRequest, notification_id: int) -> Any:
    """One does not want to see it any more; so it is with what is not there."""
    if not services.dismiss(reader=request.uid, ids=[notification_id]):
        services.dismiss_old(reader=request.uid, ids=[notification_id])
    return EMPTY


@endpoint("write:notifications", takes=DismissedNotification, returns=Nothing)
def dismiss_given(request: ApiRequest) -> Any:
    """As ``dismiss``, in the way of earlier apps."""
    if (given := request.given["id"]) is not None:
        dismiss(request, notification_id=given)
    return EMPTY


@endpoint("write:notifications", returns=Nothing)
def clear(request: ApiRequest) -> Any:
    """All of them go, but for those that are held."""
    services.clear_all(reader=request.uid)
    return EMPTY


@endpoint("read:notifications", takes=Unread, returns=Count)
def unread_count(request: ApiRequest) -> Any:
    """How many one has not seen."""
    found = selectors.unread_singles(
        reader=request.uid, kinds=kinds_asked(request), actor=request.given["account_id"]
    )
    return {"count": min(len(found), request.given["limit"])}


def _found(request: ApiRequest, id: int) -> selectors.Notification:
    found = selectors.single(reader=request.uid, id=id)
    if found is None or not found.kind.app_type:
        raise Http404("No such notification.")
    return found
