"""Ungrouped notifications. Listing notifications does not mark them as read: apps save a marker."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from notifications.selectors import flat_pages
from notifications.selectors.notification_views import NotificationView
from notifications.services.boxes import clear_all, dismiss
from notifications.store.history import remove_rows

from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import IdField, Inputs, LimitField, PageInputs, StringField
from .serializers.notifications import (
    Notification,
    kind_names_of_types,
    serialize_notifications,
)
from .serializers.values import EmptyObject


class UnreadCount(TypedDict):
    count: int


class TypesField(serializers.ListField):
    """Types of notifications. Unknown types match nothing."""

    child = StringField(max_length=50)

    def __init__(self) -> None:
        super().__init__(default=list, max_length=50)


class FilterInputs(Inputs):
    limit = LimitField(40, maximum=80)
    types = TypesField()
    exclude_types = TypesField()
    account_id = IdField()


class NotificationsInputs(FilterInputs, PageInputs):
    include_filtered = serializers.BooleanField(required=False, default=False)


class UnreadInputs(FilterInputs):
    limit = LimitField(100, maximum=1000)


class DismissInputs(Inputs):
    id = IdField()


def requested_kinds(request: ApiRequest) -> list[str]:
    inputs = request.inputs
    return kind_names_of_types(types=inputs["types"], excluded_types=inputs["exclude_types"])


def includes_filtered(request: ApiRequest) -> bool:
    """Return whether to include filtered notifications. Lists for one account always include them."""
    return bool(request.inputs["include_filtered"] or request.inputs["account_id"] is not None)


@endpoint("read:notifications", inputs=NotificationsInputs, returns=list[Notification])
def list_notifications(request: ApiRequest) -> Any:
    """List notifications, newest first."""
    page = flat_pages.ungrouped_page(
        viewer=request.uid,
        kinds=requested_kinds(request),
        actor=request.inputs["account_id"],
        includes_filtered=includes_filtered(request),
        bounds=request.page_bounds,
    )
    results = serialize_notifications(notifications=page.notifications, viewer=request.uid)
    return Page.around(page, results)


@endpoint("read:notifications", returns=Notification)
def show_notification(request: ApiRequest, notification_id: int) -> Any:
    """Return a notification."""
    return serialize_notifications(
        notifications=[_find_or_404(request, notification_id)], viewer=request.uid
    )[0]


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_notification(request: ApiRequest, notification_id: int) -> None:
    """Dismiss a notification. Succeeds even if the notification does not exist."""
    if not dismiss(recipient=request.uid, ids=[notification_id]):
        remove_rows(recipient=request.uid, ids=[notification_id])


@endpoint("write:notifications", inputs=DismissInputs, returns=EmptyObject)
def dismiss_by_id(request: ApiRequest) -> None:
    """Dismiss the notification with the ``id`` in the inputs. For older apps."""
    if (notification_id := request.inputs["id"]) is not None:
        dismiss_notification(request, notification_id=notification_id)


@endpoint("write:notifications", returns=EmptyObject)
def clear_notifications(request: ApiRequest) -> None:
    """Clear all notifications except filtered notifications."""
    clear_all(recipient=request.uid)


@endpoint("read:notifications", inputs=UnreadInputs, returns=UnreadCount)
def unread_count(request: ApiRequest) -> Any:
    """Count unread notifications."""
    notifications = flat_pages.unread_notifications(
        viewer=request.uid, kinds=requested_kinds(request), actor=request.inputs["account_id"]
    )
    return {"count": min(len(notifications), request.inputs["limit"])}


def _find_or_404(request: ApiRequest, id: int) -> NotificationView:
    notification = flat_pages.find_notification(viewer=request.uid, row_id=id)
    if notification is None or not notification.kind.api_type:
        raise Http404("No such notification.")
    return notification
