"""Notifications by people of whom one does not want to hear at once: they are held, by person, until one
lets them through."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Ids, Inputs, Page, Window, endpoint
from accounts.ids import MAX_ID
from feed.api.entities import EMPTY, Nothing
from notifications import selectors, services

from .entities import NotificationRequest, kinds_of, requests_of


class Merged(TypedDict):
    merged: bool


class Requests(Window):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class ChosenRequests(Inputs):
    id = Ids(max_length=100)


@endpoint("read:notifications", takes=Requests, returns=list[NotificationRequest])
def listed(request: ApiRequest) -> Any:
    """Whose notifications are held, who was heard of last first. Cursors are ids of their newest ones."""
    given = request.given
    held = selectors.held_singles(reader=request.uid, kinds=kinds_of())
    newest: dict[int, int] = {}
    for one in held:
        newest.setdefault(_actor(one), one.id)
    upwards = given["min_id"] is not None
    above = given["min_id"] if upwards else given["since_id"] or 0
    below = MAX_ID + 1 if given["max_id"] is None else given["max_id"]
    within = [uid for uid, last in newest.items() if above < last < below]
    limit = given["limit"]
    uids = within[-limit:] if upwards else within[:limit]
    made = requests_of(held=[one for one in held if _actor(one) in uids], reader=request.uid)
    is_cut = len(within) > len(uids)
    first, last = (newest[uids[0]], newest[uids[-1]]) if uids else (None, None)
    if upwards:
        older = min(MAX_ID, above + 1) if last is None else last
        return Page(items=made, older=older, newer=first if is_cut else None)
    if first is None and given["max_id"] is not None:
        first = max(0, below - 1)
    return Page(items=made, older=last if is_cut else None, newer=first)


@endpoint("read:notifications", returns=NotificationRequest)
def show(request: ApiRequest, uid: int) -> Any:
    """What is held of one person."""
    held = selectors.held_singles(reader=request.uid, kinds=kinds_of())
    of_them = [one for one in held if _actor(one) == uid]
    for made in requests_of(held=of_them, reader=request.uid):
        return made
    raise Http404("Nothing of this person is held.")


@endpoint("write:notifications", returns=Nothing)
def accept(request: ApiRequest, uid: int) -> Any:
    """Bring what is held of one person among the others. What they do next is held again."""
    services.let_person_through(reader=request.uid, actor=uid)
    return EMPTY


@endpoint("write:notifications", returns=Nothing)
def dismiss(request: ApiRequest, uid: int) -> Any:
    """One does not want to see what is held of one person."""
    services.dismiss_held(reader=request.uid, actor=uid)
    return EMPTY


@endpoint("write:notifications", takes=ChosenRequests, returns=Nothing)
def accept_many(request: ApiRequest) -> Any:
    """As ``accept``, of several people."""
    for uid in dict.fromkeys(request.given["id"]):
        services.let_person_through(reader=request.uid, actor=uid)
    return EMPTY


@endpoint("write:notifications", takes=ChosenRequests, returns=Nothing)
def dismiss_many(request: ApiRequest) -> Any:
    """As ``dismiss``, of several people."""
    for uid in dict.fromkeys(request.given["id"]):
        services.dismiss_held(reader=request.uid, actor=uid)
    return EMPTY


@endpoint("read:notifications", returns=Merged)
def merged(request: ApiRequest) -> Any:
    """Whether what was accepted is among the others: it always is, at once."""
    return {"merged": True}


def _actor(one: selectors.Notification) -> int:
    return one.first.uid if one.first else 0
