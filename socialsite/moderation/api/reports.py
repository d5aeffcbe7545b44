"""Tell the moderators, and what they tell everybody."""

from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.errors import Unprocessable
from accounts.infra.api.inputs import IdField, IdListField, Inputs, TextField
from feed.api.serializers.accounts import Account, serialize_account
from feed.api.serializers.values import (
    EMPTY_OBJECT,
    DateTime,
    EmptyObject,
    Html,
    Id,
    format_datetime,
    render_html,
)
from feed.api.status_lookup import find_status
from socialsite.moderation import decisions
from socialsite.moderation.models import MAX_TEXT_LENGTH, Announcement, Category
from socialsite.moderation.services import reports

CATEGORY_FROM_API: dict[str, str] = {
    "spam": Category.SPAM,
    "legal": Category.ILLEGAL,
    "violation": Category.RULES,
    "other": Category.OTHER,
}
MAX_STATUSES = 40
API_CATEGORY = {ours: theirs for theirs, ours in CATEGORY_FROM_API.items()}


class ReportInputs(Inputs):
    account_id = IdField(required=True, allow_blank=False)
    status_ids = IdListField(max_length=MAX_STATUSES)
    comment = TextField(max_length=MAX_TEXT_LENGTH)
    category = serializers.ChoiceField(choices=[*CATEGORY_FROM_API], default="other")
    rule_ids = IdListField(max_length=MAX_STATUSES)
    forward = serializers.BooleanField(default=False)


class ReportJson(TypedDict):
    """https://docs.joinmastodon.org/entities/Report/"""

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
    """Report a person or, with ``status_ids``, posts and comments of theirs."""
    given, uid = request.inputs, request.inputs["account_id"]
    account = serialize_account(uid=uid)
    if account is None:
        raise Http404("No such person.")
    about = [("person", uid, 0)]
    if given["status_ids"]:
        about = [_subject(request, status, uid) for status in dict.fromkeys(given["status_ids"])]
    rule = _rule(given["rule_ids"])
    category = Category.RULES if rule else CATEGORY_FROM_API[given["category"]]
    cases = [
        reports.create_report(
            reporter=request.signed_in_user,
            kind=kind,
            subject_id=subject,
            post_id=post,
            category=category,
            rule_id=rule,
            text=given["comment"],
        )
        for kind, subject, post in about
    ]
    made: ReportJson = {
        "id": str(cases[0].pk),
        "action_taken": False,
        "action_taken_at": None,
        "category": API_CATEGORY[category],
        "comment": given["comment"],
        "forwarded": False,
        "created_at": format_datetime(cases[0].opened_at),
        "status_ids": [str(one) for one in given["status_ids"]],
        "collection_ids": [],
        "rule_ids": [str(one) for one in given["rule_ids"]],
        "target_account": account,
    }
    return made


def _subject(request: ApiRequest, status: int, uid: int) -> tuple[str, int, int]:
    found = find_status(status_id=status, viewer=request.uid)
    by = found.comment.author if found.comment else found.post.author
    if by is None or by.uid != uid:
        raise Http404("No such post of theirs.")
    return ("comment", found.id, found.post.id) if found.comment else ("post", found.id, 0)


def _rule(given: list[int]) -> int | None:
    """The first: a report is about one."""
    if not given:
        return None
    if given[0] not in {one.pk for one in decisions.rules()}:
        raise Unprocessable(_("There is no such rule."))
    return given[0]


class AnnouncementJson(TypedDict):
    """https://docs.joinmastodon.org/entities/Announcement/"""

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


@endpoint(caller=Caller.ANYONE, returns=list[AnnouncementJson], tag="announcements")
def list_announcements(request: ApiRequest) -> Any:
    """What the site tells everybody at the moment."""
    return [_announcement(one) for one in decisions.announcements()]


def _announcement(one: Announcement) -> AnnouncementJson:
    return {
        "id": str(one.pk),
        "content": render_html(one.text),
        "starts_at": format_datetime(one.starts_at),
        "ends_at": format_datetime(one.ends_at) if one.ends_at else None,
        "all_day": False,
        "published_at": format_datetime(one.starts_at),
        "updated_at": format_datetime(one.starts_at),
        "read": True,  # nobody keeps who has read it: else apps would call for it again at each start
        "mentions": [],
        "statuses": [],
        "tags": [],
        "emojis": [],
        "reactions": [],
    }


@endpoint("write:accounts", returns=EmptyObject, tag="announcements")
def dismiss_announcement(request: ApiRequest, announcement_id: int) -> Any:
    """Announcements stay for everybody until they end; nothing is kept."""
    if announcement_id not in {one.pk for one in decisions.announcements()}:
        raise Http404("No such announcement.")
    return EMPTY_OBJECT
