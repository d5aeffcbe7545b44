"""What is alice's, made for one call each, and those who call."""

import re
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import Group
from django.http import Http404

from accounts.models import User
from feed import services as feed
from feed.models import Picture
from socialsite.moderation import roles
from socialsite.moderation import services as moderation
from socialsite.moderation.models import Announcement
from tests.api.calling import Api
from tests.factories import UserFactory, follow, publish

PLACE = re.compile(r"<\w+:(\w+)>")
READING = ("GET", "HEAD")


class ApiWorld:
    def __init__(self) -> None:
        roles.prepare_roles()
        self.number = self.list = 0
        self.owner: User = UserFactory(username="alice")
        self.other: User = UserFactory(username="olga")
        self.closed: User = UserFactory(username="cloe", is_active=False)
        self.api = Api(self.owner)
        self._moderator: User | None = None

    def stranger(self) -> User:
        return UserFactory()

    def moderator(self) -> User:
        """An administrator: moderators may do less, but for that there is another table."""
        if self._moderator is None:
            self._moderator = UserFactory(username="mo", is_staff=True)
            self._moderator.groups.add(Group.objects.get(name=roles.ADMINISTRATORS))
        return self._moderator

    def filled(self, address: str) -> str:
        """The address of something new."""
        return PLACE.sub(lambda match: str(getattr(self, f"_{match[1]}")()), address)

    def _uid(self) -> int:
        return self.owner.pk

    def _status_id(self) -> int:
        return publish(self.owner, "for my followers #tea", visibility="followers")

    def _conversation_id(self) -> int:
        return publish(self.owner, "@olga and nobody else", visibility="direct")

    def _list_id(self) -> int:
        self.number += 1
        with suppress(Http404):
            feed.delete_list(owner=self.owner, list_id=self.list)
        self.list = feed.create_list(owner=self.owner, title=f"List {self.number}")
        return self.list

    def _filter(self) -> dict[str, Any]:
        self.number += 1
        for one in self.api.get("/api/v2/filters").json():
            self.api.delete(f"/api/v2/filters/{one['id']}")
        words = [{"keyword": f"word {self.number}"}]
        sent = {"title": "Words", "context": ["home"], "keywords_attributes": words}
        made: dict[str, Any] = self.api.post("/api/v2/filters", **sent).json()
        return made

    def _filter_id(self) -> str:
        return str(self._filter()["id"])

    def _keyword_id(self) -> str:
        return str(self._filter()["keywords"][0]["id"])

    _phrase_id = _keyword_id

    def _media_id(self) -> int:
        picture = Picture.objects.create(owner=self.owner.pk, name="0" * 32, width=9, height=9)
        return int(picture.pk)

    def _notification(self) -> dict[str, Any]:
        follow(UserFactory(), self.owner)
        found: list[dict[str, Any]] = self.api.get("notifications", limit=1).json()
        return found[0]

    def _notification_id(self) -> str:
        return str(self._notification()["id"])

    def _key(self) -> str:
        return str(self._notification()["group_key"])

    def _announcement_id(self) -> int:
        return int(Announcement.objects.get_or_create(text="Hello")[0].pk)

    def _case_id(self) -> int:
        tell = {"reporter": self.owner, "kind": "person", "id": self.other.pk, "category": "spam"}
        return int(moderation.report(**tell).pk)

    def _tag(self) -> str:
        return "tea"

    def _nothing(self) -> int:
        return 1

    _poll_id = _scheduled_id = _featured_id = _filter_status_id = _nothing
