"""Somebody who has one of everything, and those who come and look."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts import services as accounts
from accounts.models import User
from accounts.oauth.models import Application
from feed import services as feed
from feed.archive import records
from feed.models import Archive
from notifications.mailing.links import unsubscribe_url
from socialsite.moderation import roles
from socialsite.moderation import services as moderation
from socialsite.moderation.subjects import person_subject
from tests.api.calling import token_of
from tests.factories import UserFactory, follow, publish

VIEWERS = ("nobody", "stranger", "follower", "owner", "moderator", "administrator")
SHA = "0" * 32


class World:
    """``owner``: alice, whose posts here are for her followers."""

    def __init__(self) -> None:
        roles.prepare_roles()
        self.number = self.list = 0
        self.owner: User = UserFactory(username="alice")
        self.other: User = UserFactory(username="olga")
        self.root: User = UserFactory(username="root_admin", is_staff=True, is_superuser=True)
        self.people: dict[str, User] = {"owner": self.owner}
        self.clients: dict[str, Client] = {}

    def client(self, viewer: str) -> Client:
        if viewer not in self.clients:
            self.clients[viewer] = Client(raise_request_exception=False)
            if viewer != "nobody":
                if viewer not in self.people:
                    self.people[viewer] = self._person(viewer)
                self.clients[viewer].force_login(self.people[viewer])
        return self.clients[viewer]

    def forget(self, viewer: str) -> None:
        """They have done something: next time somebody else comes, or the owner anew."""
        self.clients.pop(viewer, None)
        if viewer != "owner":
            self.people.pop(viewer, None)

    def _person(self, viewer: str) -> User:
        self.number += 1
        is_staff = viewer in ("moderator", "administrator")
        person: User = UserFactory(username=f"{viewer}{self.number}", is_staff=is_staff)
        if viewer == "follower":
            follow(person, self.owner)
        if is_staff:
            person.groups.add(Group.objects.get(name=f"{viewer.capitalize()}s"))
        return person

    def path(self, name: str, parameters: tuple[str, ...]) -> str:
        """The address of what is the owner's, made for this one request."""
        given: dict[str, Any] = {}
        for one in parameters:
            given[one] = getattr(self, f"_{one}")(name, given)
        return reverse(name, kwargs=given)

    def _username(self, name: str, _given: dict[str, Any]) -> str:
        if name in ("accept_request", "refuse_request"):
            asking: User = UserFactory()
            accounts.set_private(uid=self.owner.pk, is_private=True)
            follow(asking, self.owner)
            accounts.set_private(uid=self.owner.pk, is_private=False)
            return asking.username
        return "alice"

    def _post_id(self, _name: str, _given: dict[str, Any]) -> int:
        return publish(self.owner, "for my followers #tea", visibility="followers")

    def _comment_id(self, _name: str, given: dict[str, Any]) -> int:
        post = given["post_id"] if "post_id" in given else given["post"]
        return feed.comment_on_post(post_id=post, actor=self.owner, text="I say")

    def _post(self, name: str, given: dict[str, Any]) -> int:
        return self._post_id(name, given)

    def _id(self, name: str, given: dict[str, Any]) -> int:
        if name == "report_comment":
            return self._comment_id(name, given)
        return self._post_id(name, given) if name == "report_post" else self.owner.pk

    def _uid(self, _name: str, _given: dict[str, Any]) -> int:
        return self.owner.pk

    def _name(self, name: str, _given: dict[str, Any]) -> str:
        return f"{self.owner.pk}-{SHA}" if name == "avatar" else SHA

    def _size(self, _name: str, _given: dict[str, Any]) -> str:
        return "small"

    def _tag(self, _name: str, _given: dict[str, Any]) -> str:
        return "tea"

    def _list_id(self, _name: str, _given: dict[str, Any]) -> int:
        self.number += 1
        with suppress(Http404):
            feed.delete_list(owner=self.owner, list_id=self.list)
        self.list = feed.create_list(owner=self.owner, title=f"List {self.number}")
        return self.list

    def _filter_id(self, _name: str, _given: dict[str, Any]) -> int:
        self.number += 1
        phrase = f"word {self.number}"
        made = feed.add_filter(reader=self.owner.pk, phrase=phrase, folds=False, hours=None)
        return int(made)

    def _invitation_id(self, _name: str, _given: dict[str, Any]) -> int:
        return int(accounts.invite(actor=self.root, most_uses=1, expires_at=None).pk)

    def _key(self, name: str, _given: dict[str, Any]) -> str:
        if name != "open_invitation":
            return "x-y"
        return str(accounts.invite(actor=self.root, most_uses=9, expires_at=None).key)

    def _session_id(self, _name: str, _given: dict[str, Any]) -> int:
        client = Client()
        client.force_login(self.owner)
        client.get(reverse("sessions"))
        return int(UserSession.objects.filter(user=self.owner).latest("pk").pk)

    def _token(self, _name: str, _given: dict[str, Any]) -> str:
        return unsubscribe_url(reader=self.owner.pk).rstrip("/").rpartition("/")[2]

    def _case_id(self, _name: str, _given: dict[str, Any]) -> int:
        tell = {"reporter": self.owner, "kind": "person", "id": self.other.pk, "category": "spam"}
        return int(moderation.report(**tell).pk)

    def _action_id(self, _name: str, _given: dict[str, Any]) -> int:
        subject = person_subject(uid=self.owner.pk)
        return int(moderation.take_action(kind="warn", subject=subject, moderator=self.root).pk)

    def _object_id(self, name: str, _given: dict[str, Any]) -> int:
        return self.owner.pk if name.startswith("admin:accounts_user") else 1

    def _content_type_id(self, _name: str, _given: dict[str, Any]) -> int:
        return 1

    def _app_label(self, _name: str, _given: dict[str, Any]) -> str:
        return "accounts"

    def _url(self, _name: str, _given: dict[str, Any]) -> str:
        return "nothing/"

    def _appeal_id(self, name: str, given: dict[str, Any]) -> int:
        action = self._action_id(name, given)
        return int(moderation.appeal(action_id=action, person=self.owner, text="No").pk)

    def _archive_id(self, _name: str, _given: dict[str, Any]) -> int:
        name = "0" * 31 + "1"
        default_storage.save(records.path(name=name), ContentFile(b"PK"))
        made = Archive.objects.create(
            owner=self.owner.pk, kind="export", state=Archive.State.DONE, file=name
        )
        return int(made.pk)

    def _app_id(self, _name: str, _given: dict[str, Any]) -> int:
        token_of(self.owner)
        return int(Application.objects.latest("pk").pk)

    def _uidb36(self, _name: str, _given: dict[str, Any]) -> str:
        return "1"


def routes() -> dict[str, tuple[str, ...]]:
    """The names of all addresses of the site with what they take; the admin's own are told by their models
    (``admin``)."""
    return dict(sorted(_routes(get_resolver(), "", ())))


def _routes(
    resolver: URLResolver, prefix: str, before: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for one in resolver.url_patterns:
        takes = before + _parameters(str(one.pattern))
        if isinstance(one, URLPattern):
            # All have one but the admin's answer to what it does not know, and the API's, of which
            # ``tests.api`` has a table of its own.
            if one.name:
                yield prefix + one.name, takes
        else:
            namespace = f"{one.namespace}:" if one.namespace else ""
            yield from _routes(one, prefix + namespace, takes)


def _parameters(pattern: str) -> tuple[str, ...]:
    """In the order in which they stand: what is later may be of what is before it."""
    return tuple(re.findall(r"<(?:\w+:)?(\w+)>", pattern))
