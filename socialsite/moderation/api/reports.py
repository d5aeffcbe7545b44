"""Tell the moderators, and what they tell everybody."""

from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, IdField, Ids, Inputs, TextField, Who, endpoint
from accounts.api.errors import Unprocessable
from feed.api.entities import EMPTY, Account, Nothing, account_of, at, html
from feed.api.entities.values import Html, Id, Moment
from feed.api.found import find
from socialsite.moderation import decisions, services
from socialsite.moderation.models import MAX_WORDS, Announcement, Category

OURS: dict[str, str] = {
    "spam": Category.SPAM,
    "legal": Category.ILLEGAL,
    "violation": Category.RULES,
    "other": Category.OTHER,
}
MOST_AT_ONCE = 40
THEIRS = {ours: theirs for theirs, ours in OURS.items()}


class NewReport(Inputs):
    account_id = IdField(required=True, allow_blank=False)
    status_ids = Ids(max_length=MOST_AT_ONCE)
    comment = TextField(max_length=MAX_WORDS)
    category = serializers.ChoiceField(choices=[*OURS], default="other")
    rule_ids = Ids(max_length=MOST_AT_ONCE)
    forward = serializers.BooleanField(default=False)


class ReportJson(TypedDict):
    """https://docs.joinmastodon.org/entities/Report/"""

    id: Id
    action_taken: bool
    action_taken_at: Moment | None
    category: str
    comment: str
    forwarded: bool
    created_at: Moment
    status_ids: list[Id]
    collection_ids: list[Id]
    rule_ids: list[Id]
    target_account: Account


@endpoint("write:reports", takes=NewReport, returns=ReportJson)
def report(request: ApiRequest) -> Any:
    """Report a person or, with ``status_ids``, posts and comments of theirs."""
    given, uid = request.given, request.given["account_id"]
    account = account_of(uid=uid)
    if account is None:
        raise Http404("No such person.")
    about = [("person", uid, 0)]
    if given["status_ids"]:
        about = [_subject(request, status, uid) for status in dict.fromkeys(given["status_ids"])]
    rule = _rule(given["rule_ids"])
    category = Category.RULES if rule else OURS[given["category"]]
    cases = [
        services.report(
            reporter=request.person,
            kind=kind,
            id=subject,
            post=post,
            category=category,
            rule=rule,
            text=given["comment"],
        )
        for kind, subject, post in about
    ]
    made: ReportJson = {
        "id": str(cases[0].pk),
        "action_taken": False,
        "action_taken_at": None,
        "category": THEIRS[category],
        "comment": given["comment"],
        "forwarded": False,
        "created_at": at(cases[0].opened_at),
        "status_ids": [str(one) for one in given["status_ids"]],
        "collection_ids": [],
        "rule_ids": [str(one) for one in given["rule_ids"]],
        "target_account": account,
    }
    return made


def _subject(request: ApiRequest, status: int, uid: int) -> tuple[str, int, int]:
    found = find(status_id=status, viewer=request.uid)
    by = found.comment.by if found.comment else found.post.author
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
    starts_at: Moment | None
    ends_at: Moment | None
    all_day: bool
    published_at: Moment
    updated_at: Moment
    read: bool
    mentions: list[str]
    statuses: list[str]
    tags: list[str]
    emojis: list[str]
    reactions: list[str]


@endpoint(who=Who.ANYBODY, returns=list[AnnouncementJson], tag="announcements")
def announcements(request: ApiRequest) -> Any:
    """What the site tells everybody at the moment."""
    return [_announcement(one) for one in decisions.announcements()]


def _announcement(one: Announcement) -> AnnouncementJson:
    return {
        "id": str(one.pk),
        "content": html(one.text),
        "starts_at": at(one.starts_at),
        "ends_at": at(one.ends_at) if one.ends_at else None,
        "all_day": False,
        "published_at": at(one.starts_at),
        "updated_at": at(one.starts_at),
        "read": True,  # nobody keeps who has read it: else apps would call for it again at each start
        "mentions": [],
        "statuses": [],
        "tags": [],
        "emojis": [],
        "reactions": [],
    }


@endpoint("write:accounts", returns=Nothing, tag="announcements")
def dismiss(request: ApiRequest, announcement_id: int) -> Any:
    """Announcements stay for everybody until they end; nothing is kept."""
    if announcement_id not in {one.pk for one in decisions.announcements()}:
        raise Http404("No such announcement.")
    return EMPTY
