"""A site where alice owns one object of every kind, and the viewers who request its pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.brand import colors
from accounts.models import User
from accounts.oauth.models import Application
from accounts.services.invitations import create_invitation
from accounts.services.profiles import set_private
from feed.models import Picture
from feed.services.filters import add_phrase_filter
from feed.services.user_lists import create_list
from notifications.mail.message import unsubscribe_url
from socialsite.archive import jobs
from socialsite.archive.models import Archive
from socialsite.moderation import roles
from socialsite.moderation.models import PageVersion
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.services.reports import create_report
from socialsite.moderation.subjects import user_subject
from tests.actions import add_comment
from tests.api.api_client import token_of
from tests.factories import UserFactory, follow, publish
from tests.feed.draft_helpers import draft_of
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import quote
from tests.log_ins import log_in
from tests.worlds import world

VIEWERS = ("nobody", "stranger", "follower", "owner", "moderator", "administrator")
SHA = "0" * 32
ARCHIVE = "0" * 31 + "1"
COLOR = "#0d6b57"


@dataclass
class Site:
    """The sessions of the viewers, and the values for route parameters.

    alice is the owner of every object. Her posts are visible to her followers.

    Attributes:
        sessions: session key by viewer, for the viewers who are logged in.
        values: value by route parameter.
        values_of_route: value by (route, parameter), for routes that need a different value.
    """

    sessions: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    values_of_route: dict[tuple[str, str], Any] = field(default_factory=dict)

    def client(self, viewer: str) -> Client:
        client = Client(raise_request_exception=False)
        if viewer in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[viewer]
        return client

    def path(self, name: str, parameters: tuple[str, ...]) -> str:
        values = {
            parameter: self.values_of_route.get((name, parameter), self.values[parameter])
            for parameter in parameters
        }
        if "archive_id" in parameters and not default_storage.exists(
            jobs.archive_path(name=ARCHIVE)
        ):
            default_storage.save(jobs.archive_path(name=ARCHIVE), ContentFile(b"PK"))
        return reverse(name, kwargs=values)


@world
def site() -> Site:
    roles.create_roles()
    owner: User = UserFactory(username="alice")
    other: User = UserFactory(username="olga")
    root: User = UserFactory(username="root_admin", is_staff=True, is_superuser=True)
    filled = Site(sessions=_sessions(owner))
    asking: User = UserFactory(username="asking")
    set_private(uid=owner.pk, is_private=True)
    follow(asking, owner)
    set_private(uid=owner.pk, is_private=False)
    post = publish(owner, "for my followers #tea", visibility="followers")
    comment = add_comment(post_id=post, actor=owner, text="I say")
    report = {"reporter": owner, "kind": "person", "subject_id": other.pk, "category": "spam"}
    warning = take_action(kind="warn", subject=user_subject(uid=owner.pk), moderator=root)
    archive = Archive.objects.create(
        owner=owner.pk, kind="export", state=Archive.State.DONE, file=ARCHIVE
    )
    message = publish(owner, "@olga and nobody else", visibility="direct")
    open_invitation = create_invitation(actor=root, max_uses=9, expires_at=None)
    token_of(owner)
    filled.values = {
        "username": "alice",
        "post_id": post,
        "post": post,
        "comment_id": comment,
        "id": owner.pk,
        "uid": owner.pk,
        "first_uid": owner.pk,
        "name": SHA,
        "letter": "A",
        "suffix": "mp4",
        "picture_id": Picture.objects.create(owner=owner.pk, name=SHA[:32], width=1, height=1).pk,
        "size": "small",
        "tag": "tea",
        "draft_id": draft_of(owner),
        "list_id": create_list(owner=owner, title="List"),
        "featured_id": 1,
        "filter_id": add_phrase_filter(
            owner=owner.pk, phrase="word", has_warning=False, hours=None
        ),
        "row_id": 1,
        "invitation_id": create_invitation(actor=root, max_uses=1, expires_at=None).pk,
        "key": "x-y",
        "session_id": _other_session(owner),
        "token": unsubscribe_url(recipient=owner.pk).rstrip("/").rpartition("/")[2],
        "case_id": create_report(**report).pk,
        "action_id": warning.pk,
        "appeal_id": _appeal(owner, root),
        "object_id": 1,
        "content_type_id": 1,
        "app_label": "accounts",
        "url": "nothing/",
        "archive_id": archive.pk,
        "app_id": Application.objects.latest("pk").pk,
        "uidb36": "1",
        "page": "privacy",
        "announcement_id": 1,
        "version_id": PageVersion.objects.create(page="privacy", text="Ours").pk,
        "color": COLOR.removeprefix("#"),
        "digest": colors.css_digest(colors.site_css(COLOR)),
    }
    poll = publish_poll(owner, visibility="followers")
    filled.values_of_route = {
        ("accept_follow_request", "username"): asking.username,
        ("reject_follow_request", "username"): asking.username,
        ("report_comment", "id"): comment,
        ("answer_post", "post_id"): poll,
        ("answers", "post_id"): poll,
        ("report_post", "id"): post,
        ("revoke_quote", "post_id"): quote(post, owner),
        ("filter_post", "post_id"): publish(other),
        ("avatar", "name"): f"{owner.pk}-{SHA}",
        ("initial", "color"): "1",
        ("initial_png", "color"): "1",
        ("header_picture", "name"): f"{owner.pk}-{SHA}",
        ("open_invitation", "key"): open_invitation.key,
        ("conversation", "post_id"): message,
        ("hide_conversation", "post_id"): message,
        ("mark_conversation_unread", "post_id"): message,
    } | {
        (name, "object_id"): owner.pk for name in routes() if name.startswith("admin:accounts_user")
    }
    return filled


def _sessions(owner: User) -> dict[str, str]:
    sessions = {}
    for viewer in VIEWERS[1:]:
        is_staff = viewer in ("moderator", "administrator")
        user = owner
        if viewer != "owner":
            user = UserFactory(username=viewer, is_staff=is_staff)
        if viewer == "follower":
            follow(user, owner)
        if is_staff:
            user.groups.add(Group.objects.get(name=f"{viewer.capitalize()}s"))
        client = Client()
        log_in(client, user)
        sessions[viewer] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return sessions


def _other_session(owner: User) -> int:
    client = Client()
    client.force_login(owner)
    client.get(reverse("sessions"))
    return int(UserSession.objects.filter(user=owner).latest("pk").pk)


def _appeal(owner: User, moderator: User) -> int:
    subject = user_subject(uid=owner.pk)
    action = take_action(kind="warn", subject=subject, moderator=moderator)
    return int(create_appeal(action_id=action.pk, user=owner, text="No").pk)


def routes() -> dict[str, tuple[str, ...]]:
    """Return the parameters of every route of the site, by the name of the route."""
    return dict(sorted(_routes(get_resolver(), "", ())))


def _routes(
    resolver: URLResolver, prefix: str, before: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern in resolver.url_patterns:
        takes = before + _parameters(str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            # Only the admin's catch-all and the API's routes have no name. The API's routes have their
            # own table in ``tests.api``.
            if pattern.name:
                yield prefix + pattern.name, takes
        else:
            namespace = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from _routes(pattern, prefix + namespace, takes)


def _parameters(pattern: str) -> tuple[str, ...]:
    """Return the names of the parameters, in the order in which the path contains them."""
    return tuple(re.findall(r"<(?:\w+:)?(\w+)>", pattern))
