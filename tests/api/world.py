"""A site where alice owns an object for every URL parameter of the API, and tokens for all callers."""

import re
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group

from accounts.models import User
from feed.models import Picture
from feed.services.user_lists import create_list
from socialsite.moderation import roles
from socialsite.moderation.models import Announcement
from socialsite.moderation.services.reports import create_report
from tests.api.api_client import EVERYTHING, Api, token_of
from tests.factories import UserFactory, follow, publish
from tests.feed.draft_helpers import schedule
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import quote
from tests.worlds import world

ALL_SCOPES = f"{EVERYTHING} admin:read admin:write"
NARROW_SCOPES = ("push", "profile", "read:blocks", "admin:write")
"""Narrow scopes. Every endpoint rejects at least one of these scopes."""

PARAMETER = re.compile(r"<\w+:(\w+)>")


@dataclass
class ApiSite:
    """The tokens of the callers, and the values for URL parameters.

    The caller "moderator" has the role of an administrator, which has all permissions of moderators and
    more (see ``docs/moderation.md``).

    Attributes:
        tokens: token by caller, and alice's tokens by narrow scope.
        values: value by URL parameter.
    """

    tokens: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def api(self, caller: str) -> Api:
        return Api(token=self.tokens.get(caller, ""))

    def path(self, address: str) -> str:
        return PARAMETER.sub(lambda match: str(self.values[match[1]]), address)


@world
def api_site() -> ApiSite:
    roles.create_roles()
    owner: User = UserFactory(username="alice")
    other: User = UserFactory(username="olga")
    moderator: User = UserFactory(username="mo", is_staff=True)
    moderator.groups.add(Group.objects.get(name=roles.ADMINISTRATORS))
    callers = {
        "closed": UserFactory(username="cloe", is_active=False),
        "stranger": UserFactory(username="stranger"),
        "owner": owner,
        "moderator": moderator,
    }
    tokens = {caller: token_of(user, ALL_SCOPES) for caller, user in callers.items()}
    tokens |= {scope: token_of(owner, scope) for scope in NARROW_SCOPES}
    filled = ApiSite(tokens=tokens)
    keywords = [{"keyword": "word"}]
    words = {"title": "Words", "context": ["home"], "keywords_attributes": keywords}
    word_filter = filled.api("owner").post("/api/v2/filters", **words).json()
    follow(UserFactory(username="fan"), owner)
    notification = filled.api("owner").get("notifications", limit=1).json()[0]
    report = {"reporter": owner, "kind": "person", "subject_id": other.pk, "category": "spam"}
    post = publish(owner, "for my followers #tea", visibility="followers")
    filled.values = {
        "rest": "elsewhere",
        "uid": owner.pk,
        "status_id": post,
        "quoting_status_id": quote(post, owner),
        "conversation_id": publish(owner, "@olga and nobody else", visibility="direct"),
        "list_id": create_list(owner=owner, title="List"),
        "filter_id": word_filter["id"],
        "keyword_id": word_filter["keywords"][0]["id"],
        "phrase_id": word_filter["keywords"][0]["id"],
        "media_id": Picture.objects.create(owner=owner.pk, name="0" * 32, width=9, height=9).pk,
        "notification_id": notification["id"],
        "key": notification["group_key"],
        "announcement_id": Announcement.objects.create(text="Hello").pk,
        "case_id": create_report(**report).pk,
        "tag": "tea",
        "poll_id": publish_poll(owner, visibility="followers"),
    }
    featured = filled.api("owner").post("featured_tags", name="tea").json()
    filled.values["featured_id"] = featured["id"]
    foreign_post = {"status_id": str(publish(other))}
    path = f"/api/v2/filters/{word_filter['id']}/statuses"
    filtered = filled.api("owner").post(path, **foreign_post).json()
    filled.values |= {"scheduled_id": schedule(owner), "filter_status_id": filtered["id"]}
    return filled
