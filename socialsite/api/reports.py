"""Reports by users, and announcements."""

from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.models import User
from socialsite.moderation import decisions
from socialsite.moderation.models import MAX_TEXT_LENGTH, Announcement, Category
from socialsite.moderation.services import reports

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.errors import Unprocessable
from .plumbing.inputs import IdField, IdListField, Inputs, TextField
from .serializers.accounts import Account, serialize_account
from .serializers.values import (
    DateTime,
    EmptyObject,
    Html,
    Id,
    format_datetime,
    render_html,
)
from .status_lookup import find_status

CATEGORY_FROM_API: dict[str, str] = {
    "spam": Category.SPAM,
    "legal": Category.ILLEGAL,
    "violation": Category.RULES,
    "other": Category.OTHER,
}
MAX_STATUSES = 40
API_CATEGORY = {category: api_name for api_name, category in CATEGORY_FROM_API.items()}


class ReportInputs(Inputs):
    account_id = IdField(required=True, allow_blank=False)
    status_ids = IdListField(max_length=MAX_STATUSES)
    comment = TextField(max_length=MAX_TEXT_LENGTH)
    category = serializers.ChoiceField(choices=[*CATEGORY_FROM_API], default="other")
    rule_ids = IdListField(max_length=MAX_STATUSES)
    forward = serializers.BooleanField(default=False)


class ReportJson(TypedDict):
    """A report in the format of https://docs.joinmastodon.org/entities/Report/."""

    id: Id
    action_taken: bool
    action_taken_at: DateTime | None
    category: str
    comment: str
    forwarded: bool
    created_at: DateTime
    status_ids: list[Id]
    collection_ids: list[Id]
    rule_ids: list[Id]
    target_account: Account


@endpoint("write:reports", inputs=ReportInputs, returns=ReportJson)
def create_report(request: ApiRequest) -> Any:
    """Report a user or, with ``status_ids``, posts and comments of the user."""
    inputs, uid = request.inputs, request.inputs["account_id"]
    account = serialize_account(uid=uid)
    if account is None:
        raise Http404("User not found.")
    subjects = [("person", uid, 0)]
    if status_ids := dict.fromkeys(inputs["status_ids"]):
        subjects = [_reported_status(request, status_id, uid) for status_id in status_ids]
    # A report refers to one rule only.
    rule_id = next(iter(inputs["rule_ids"]), None)
    if rule_id is not None and rule_id not in {rule.pk for rule in decisions.rules()}:
        raise Unprocessable(_("This rule does not exist."))
    category = Category.RULES if rule_id else CATEGORY_FROM_API[inputs["category"]]
    cases = [
        reports.create_report(
            reporter=request.signed_in_user,
            kind=kind,
            subject_id=subject_id,
            post_id=post_id,
            category=category,
            rule_id=rule_id,
            text=inputs["comment"],
        )
        for kind, subject_id, post_id in subjects
    ]
    report: ReportJson = {
        "id": str(cases[0].pk),
        "action_taken": False,
        "action_taken_at": None,
        "category": API_CATEGORY[category],
        "comment": inputs["comment"],
        "forwarded": False,
        "created_at": format_datetime(cases[0].opened_at),
        "status_ids": [str(status_id) for status_id in inputs["status_ids"]],
        "collection_ids": [],
        "rule_ids": [str(rule_id) for rule_id in inputs["rule_ids"]],
        "target_account": account,
    }
    return report


def _reported_status(request: ApiRequest, status_id: int, uid: int) -> tuple[str, int, int]:
    """Return ``(kind, id, post_id)`` of a status. Raises Http404 if the user is not the author."""
    status = find_status(status_id=status_id, viewer=request.uid)
    author = status.comment.author if status.comment else status.post.author
    if author is None or author.uid != uid:
        raise Http404("Post not found.")
    return ("comment", status.id, status.post.id) if status.comment else ("post", status.id, 0)


class AnnouncementJson(TypedDict):
    """An announcement in the format of https://docs.joinmastodon.org/entities/Announcement/."""

    id: Id
    content: Html
    starts_at: DateTime | None
    ends_at: DateTime | None
    all_day: bool
    published_at: DateTime
    updated_at: DateTime
    read: bool
    mentions: list[str]
    statuses: list[str]
    tags: list[str]
    emojis: list[str]
    reactions: list[str]


class AnnouncementsInputs(Inputs):
    with_dismissed = serializers.BooleanField(default=False)


@endpoint(
    caller=Caller.ANYONE,
    inputs=AnnouncementsInputs,
    returns=list[AnnouncementJson],
    tag="announcements",
)
def list_announcements(request: ApiRequest) -> Any:
    """Return the current announcements, without dismissed ones unless ``with_dismissed`` is true."""
    # Not the user from the cache: another process may have dismissed an announcement just now.
    user = None if request.viewer_id is None else User.objects.get(pk=request.viewer_id)
    unread = decisions.announcements_for(user=user)
    shown = decisions.announcements() if request.inputs["with_dismissed"] else unread
    # Apps that belong to no user cannot dismiss announcements, and would show unread ones forever.
    return [
        _serialize_announcement(announcement, is_read=user is None or announcement not in unread)
        for announcement in shown
    ]


def _serialize_announcement(announcement: Announcement, *, is_read: bool) -> AnnouncementJson:
    return {
        "id": str(announcement.pk),
        "content": render_html(announcement.text),
        "starts_at": format_datetime(announcement.starts_at),
        "ends_at": format_datetime(announcement.ends_at) if announcement.ends_at else None,
        "all_day": False,
        "published_at": format_datetime(announcement.starts_at),
        "updated_at": format_datetime(announcement.starts_at),
        "read": is_read,
        "mentions": [],
        "statuses": [],
        "tags": [],
        "emojis": [],
        "reactions": [],
    }


@endpoint("write:accounts", returns=EmptyObject, tag="announcements")
def dismiss_announcement(request: ApiRequest, announcement_id: int) -> None:
    """Dismiss an announcement for the caller, here and on the pages."""
    decisions.dismiss(announcement_id=announcement_id, user=request.signed_in_user)
