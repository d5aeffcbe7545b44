"""Notifications by people of whom one does not want to hear at once: they are held, by person, until one
lets them through."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import IdListField, Inputs, PageInputs
from accounts.infra.api.pages import Page
from accounts.infra.ids import MAX_ID
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject
from notifications.api.serializers.notification_requests import (
    NotificationRequest,
    serialize_requests,
)
from notifications.api.serializers.notifications import kind_names_of_types
from notifications.selectors.notification_views import NotificationView
from notifications.selectors.ungrouped import filtered_notifications
from notifications.services.boxes import accept_filtered_from, dismiss_filtered_from


class MergedState(TypedDict):
    merged: bool


class RequestsInputs(PageInputs):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class RequestIdsInputs(Inputs):
    id = IdListField(max_length=100)


@endpoint("read:notifications", inputs=RequestsInputs, returns=list[NotificationRequest])
def list_requests(request: ApiRequest) -> Any:
    """Whose notifications are held, who was heard of last first. Cursors are ids of their newest ones."""
    given = request.inputs
    held = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    newest: dict[int, int] = {}
    for one in held:
        newest.setdefault(_actor(one), one.id)
    upwards = given["min_id"] is not None
    above = given["min_id"] if upwards else given["since_id"] or 0
    below = MAX_ID + 1 if given["max_id"] is None else given["max_id"]
    within = [uid for uid, last in newest.items() if above < last < below]
    limit = given["limit"]
    uids = within[-limit:] if upwards else within[:limit]
    made = serialize_requests(
        filtered=[one for one in held if _actor(one) in uids], viewer=request.uid
    )
    is_cut = len(within) > len(uids)
    first, last = (newest[uids[0]], newest[uids[-1]]) if uids else (None, None)
    if upwards:
        older = min(MAX_ID, above + 1) if last is None else last
        return Page(results=made, older_cursor=older, newer_cursor=first if is_cut else None)
    if first is None and given["max_id"] is not None:
        first = max(0, below - 1)
    return Page(results=made, older_cursor=last if is_cut else None, newer_cursor=first)


@endpoint("read:notifications", returns=NotificationRequest)
def show_request(request: ApiRequest, uid: int) -> Any:
    """What is held of one person."""
    held = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    of_them = [one for one in held if _actor(one) == uid]
    for made in serialize_requests(filtered=of_them, viewer=request.uid):
        return made
    raise Http404("Nothing of this person is held.")


@endpoint("write:notifications", returns=EmptyObject)
def accept_request(request: ApiRequest, uid: int) -> Any:
    """Bring what is held of one person among the others. What they do next is held again."""
    accept_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_request(request: ApiRequest, uid: int) -> Any:
    """One does not want to see what is held of one person."""
    dismiss_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def accept_requests(request: ApiRequest) -> Any:
    """As ``accept``, of several people."""
    for uid in dict.fromkeys(request.inputs["id"]):
        accept_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def dismiss_requests(request: ApiRequest) -> Any:
    """As ``dismiss``, of several people."""
    for uid in dict.fromkeys(request.inputs["id"]):
        dismiss_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("read:notifications", returns=MergedState)
def show_merged_state(request: ApiRequest) -> Any:
    """Whether what was accepted is among the others: it always is, at once."""
    return {"merged": True}


def _actor(one: NotificationView) -> int:
    return one.first_actor.uid if one.first_actor else 0
