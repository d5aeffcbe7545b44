"""Two web processes that share a Redis cache never show more than a process without caches.

``test_changes_show_in_both_processes`` fills all caches: several viewers load many pages from both
processes. Then it changes something through the first process, and loads the pages that show the change,
or all pages. The test process renders the expected pages. It clears its caches of data before each page. It
clears its other caches once for each change, or for each viewer of all pages. ``docs/caches.md`` lists
all caches and how late each may be.
"""

import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.cache import caches
from django.db import connection
from django.test import Client
from redis import Redis as RedisClient

from accounts.models import User
from accounts.oauth.models import Application
from accounts.selectors import access_tokens
from feed.store.home_states import hide_suggestions
from socialsite.moderation import roles
from tests.actions import add_comment, like_post, share_post
from tests.api.api_client import EVERYTHING, token_of
from tests.browser.site import served_site
from tests.database import reset_process_caches
from tests.every_page import VOLATILE, differences
from tests.factories import PASSWORD, UserFactory, follow, publish
from tests.feed.brokers import Redis
from tests.log_ins import log_in
from tests.uploads import picture

from . import shared_cache_settings
from .shared_cache_settings import CARD_SECONDS

COUNT_SECONDS = (
    shared_cache_settings.COUNTS_SHARED_SECONDS + shared_cache_settings.COUNTS_PROCESS_SECONDS
)

TEXTS = re.compile(r"words-\w+")
"""Texts of posts and comments. Viewers who may no longer read a text must not see it even for a moment."""

COUNTS = re.compile(r'("(?:followers|following|statuses)_count":)[1-9]\d*')
"""Counts of users, which may be late and have a test of their own."""

VIEWERS = ("visitor", "German visitor", "bob", "carol", "alice")
"""bob follows alice, and carol does not."""

OUR_PACKAGES = {"accounts", "feed", "notifications", "socialsite"}

HOME, PUBLIC, TAG, PROFILE_PAGE = "/", "/public/", "/tags/tea/", "/@alice/"
FOLLOWERS = "/@alice/followers/"
POST, FOLLOWERS_POST = "/@alice/{post}/", "/@alice/{followers_post}/"
LIKES, HISTORY, OPTIONS = f"{POST}likes/", f"{POST}history/", "/posts/{post}/options/"
API_HOME, API_PUBLIC = "/api/v1/timelines/home", "/api/v1/timelines/public"
API_TRENDS = "/api/v1/trends/statuses"
API_POST, API_FOLLOWERS_POST = "/api/v1/statuses/{post}", "/api/v1/statuses/{followers_post}"
API_CONTEXT, API_LIKES = f"{API_POST}/context", f"{API_POST}/favourited_by"
API_USER = "/api/v1/accounts/{alice}"
API_POSTS, API_FOLLOWING = f"{API_USER}/statuses", "/api/v1/accounts/{erin}/following"
API_RELATIONSHIP = "/api/v1/accounts/relationships?id[]={alice}"
API_NOTIFICATIONS = "/api/v1/notifications"
PAGES = (
    *(HOME, PUBLIC, TAG, PROFILE_PAGE, FOLLOWERS, POST, FOLLOWERS_POST, LIKES, HISTORY, OPTIONS),
    *(API_HOME, API_PUBLIC, API_TRENDS, API_POST, API_FOLLOWERS_POST, API_CONTEXT, API_LIKES),
    *(API_USER, API_POSTS, API_FOLLOWING, API_RELATIONSHIP, API_NOTIFICATIONS),
)

RATE_LIMITS = (
    "RATE_LIMIT_API",
    "RATE_LIMIT_VISITOR_API",
    "RATE_LIMIT_SEARCHES",
    "RATE_LIMIT_VISITOR_SEARCHES",
)

http = requests.Session()
http.trust_env = False
http.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))  # each request has its own

Page = tuple[int, str]
"""The status and the text of a page."""


@dataclass(frozen=True)
class Change:
    """A request of the API, or a form of a page (``FORM``), that changes what pages show."""

    actor: str
    request: str
    data: dict[str, Any] | None = None
    files: dict[str, bytes] | None = None


@dataclass(frozen=True)
class Step:
    """Changes, how late the other process may show them, and pages that show them to at least one viewer.

    The changes of a step concern different posts, viewers or users. Otherwise a change that drops a cached
    value could hide that the other change does not drop it.
    """

    changes: list[Change]
    pages: tuple[str, ...]
    late_seconds: float = 0


def profile_step(pages: tuple[str, ...], *change: Any) -> Step:
    return Step([Change("alice", PROFILE, *change)], pages, CARD_SECONDS)


PROFILE = "PATCH accounts/update_credentials"
MODERATE = "POST admin/accounts/{}/action"
TEA_FILTER = {
    "title": "Tea",
    "context": ["home", "public", "thread", "account"],
    "keywords_attributes": [{"keyword": "tea"}],
}
NEW = "another correct horse"
GERMAN_DATE = r">\d+\. \w+ \d{4} "
CHANGES = {
    "content": [
        profile_step(
            (POST, FOLLOWERS, PUBLIC, API_TRENDS, API_FOLLOWING, API_NOTIFICATIONS),
            {"display_name": "Alice Zuse"},
        ),
        profile_step((PROFILE_PAGE, API_USER, API_POST), {"note": "New bio"}),
        profile_step((POST, FOLLOWERS, API_POST, API_FOLLOWING), None, {"avatar": picture()}),
        profile_step((PUBLIC, POST, API_PUBLIC, API_FOLLOWING), {"locked": True}),
        profile_step((PUBLIC, POST, API_PUBLIC, API_FOLLOWING), {"locked": False}),
        Step(
            [Change("carol", "POST statuses/{post}/favourite")], (POST, LIKES, API_POST, API_LIKES)
        ),
        Step(
            [Change("bob", "POST statuses/{post}/unfavourite")], (POST, LIKES, API_POST, API_LIKES)
        ),
        Step([Change("bob", "POST statuses/{post}/reblog")], (HOME, POST, API_HOME, API_POST)),
        Step([Change("bob", "POST statuses/{post}/unreblog")], (HOME, POST, API_HOME, API_POST)),
        Step(
            [
                Change("carol", "POST statuses/{post}/bookmark"),
                Change("bob", "POST /api/v2/filters", TEA_FILTER),
            ],
            (HOME, POST, API_HOME, API_POST),
        ),
        Step(
            [Change("alice", "PUT statuses/{post}", {"status": "words-edited #coffee"})],
            (TAG, POST, HISTORY, API_HOME, API_POST),
        ),
        Step(
            [
                Change(
                    "alice",
                    "PUT statuses/{post}",
                    {"status": "words-edited", "spoiler_text": "Careful"},
                )
            ],
            (PUBLIC, POST, HISTORY, API_POST),
        ),
        Step([Change("alice", "POST statuses/{post}/pin")], (PROFILE_PAGE, OPTIONS, API_POST)),
        Step(
            [
                Change(
                    "carol", "POST statuses", {"status": "words-reply", "in_reply_to_id": "{post}"}
                )
            ],
            PAGES,
        ),
        Step(
            [Change("alice", "FORM /settings/username/", {"username": "alicia"})],
            (PUBLIC, PROFILE_PAGE, FOLLOWERS, POST, API_POST, API_FOLLOWING, API_NOTIFICATIONS),
            CARD_SECONDS,
        ),
        Step(
            [
                Change("erin", "DELETE statuses/{comment}"),
                Change("alice", "DELETE statuses/{followers_post}"),
            ],
            (HOME, POST, FOLLOWERS_POST, API_FOLLOWERS_POST, API_CONTEXT),
        ),
        Step(
            [Change("alice", "DELETE statuses/{post}")],
            (PUBLIC, PROFILE_PAGE, POST, API_HOME, API_POST, API_NOTIFICATIONS),
        ),
    ],
    "access": [
        Step(
            [Change("carol", "POST accounts/{alice}/follow")],
            (HOME, FOLLOWERS, FOLLOWERS_POST, API_HOME, API_RELATIONSHIP),
        ),
        Step(
            [
                Change("alice", "POST accounts/{carol}/remove_from_followers"),
                Change("bob", "POST accounts/{alice}/mute"),
            ],
            (HOME, FOLLOWERS_POST, API_HOME, API_RELATIONSHIP),
        ),
        Step(
            [
                Change("bob", "POST accounts/{alice}/unmute"),
                Change("carol", "POST accounts/{erin}/mute"),
            ],
            (HOME, API_HOME, API_CONTEXT, API_RELATIONSHIP),
        ),
        Step(
            [
                Change("carol", "POST accounts/{erin}/block"),
                Change("bob", "POST accounts/{alice}/block"),
            ],
            (HOME, POST, LIKES, API_CONTEXT, API_RELATIONSHIP),
        ),
        Step(
            [Change("bob", "POST accounts/{alice}/unblock")],
            (POST, API_PUBLIC, API_RELATIONSHIP),
        ),
        Step(
            [Change("alice", "POST accounts/{bob}/block")],
            (POST, PROFILE_PAGE, API_PUBLIC, API_RELATIONSHIP),
        ),
        Step([Change("erin", "POST accounts/{alice}/unfollow")], PAGES),
        Step(
            [
                Change("mo", MODERATE.format("{alice}"), {"type": "silence"}),
                Change("mo", MODERATE.format("{erin}"), {"type": "suspend"}),
            ],
            (PUBLIC, POST, API_PUBLIC, API_CONTEXT),
            CARD_SECONDS,
        ),
        Step(
            [
                Change("mo", "POST admin/accounts/{alice}/unsilence"),
                Change("mo", "POST admin/accounts/{erin}/unsuspend"),
            ],
            (PUBLIC, POST, API_PUBLIC, API_CONTEXT),
            CARD_SECONDS,
        ),
        Step(
            [Change("mo", MODERATE.format("{alice}"), {"type": "suspend"})],
            (PUBLIC, PROFILE_PAGE, POST, API_USER, API_POST),
            CARD_SECONDS,
        ),
        Step(
            [Change("mo", "POST admin/accounts/{alice}/unsuspend")],
            (PUBLIC, PROFILE_PAGE, POST, API_USER, API_POST),
            CARD_SECONDS,
        ),
    ],
}
"""Steps by subject. One step of each subject compares all pages."""


class Site:
    """The two web processes, users, and posts of alice, each with its id by name."""

    def __init__(self, addresses: tuple[str, str]) -> None:
        self.addresses = addresses
        roles.create_roles()
        users = {name: UserFactory(username=name) for name in ("alice", "bob", "carol", "erin")}
        alice, bob, carol, erin = users.values()
        moderator = users["mo"] = UserFactory(username="mo", is_staff=True)
        moderator.groups.add(Group.objects.get(name=roles.ADMINISTRATORS))
        # No count of these users becomes 0, because ``COUNTS`` distinguishes 0 from other counts.
        follow(alice, erin)
        follow(bob, alice, carol, erin)
        follow(carol, bob, erin)
        follow(erin, alice, bob, carol)
        follow(moderator, alice)
        for user in (alice, bob, carol, erin):
            publish(user, "words-other")
        self.ids = {name: user.pk for name, user in users.items()}
        self.ids["post"] = post_id = publish(alice, "words-public: #tea, @bob and example.org")
        self.ids["followers_post"] = publish(alice, "words-followers", visibility="followers")
        publish(alice, "@bob words-direct", visibility="direct")
        self.ids["comment"] = add_comment(post_id=post_id, actor=erin, text="words-comment")
        share_post(post_id=post_id, actor=erin)
        for liker in (erin, bob):
            like_post(post_id=post_id, actor=liker)
        for user in users.values():
            # Candidates for suggestions are cached for ten minutes. Other tests check what a page shows.
            hide_suggestions(viewer=user.pk)
        self.users = users
        self.log_ins = {name: LogIn(user) for name, user in users.items()}
        self.client = Client()
        self.shown: dict[tuple[str, str], Page] = {}

    def pages(self, paths: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return each (viewer, path). The German visitor only loads all pages, and none of the API."""
        return [
            (viewer, path.format(**self.ids))
            for viewer, path in product(VIEWERS, paths)
            if viewer != "German visitor" or (paths is PAGES and not path.startswith("/api/"))
        ]

    def get(self, process: int, viewer: str, path: str) -> Page:
        """Load a page from a process."""
        response = self.request(process, viewer, "GET", path)
        return response.status_code, without_volatile_parts(response.content)

    def get_uncached(self, viewer: str, path: str) -> Page:
        """Render a page in the test process, without caches of data."""
        clear_data_caches()
        self.client.cookies.clear()
        self.client.cookies.load(self._cookies(viewer, path))
        response = self.client.get(path, headers=self._headers(viewer, path), follow=True)
        return response.status_code, without_volatile_parts(response.content)

    def make(self, change: Change) -> Any:
        """Make a change through the first process and return the result."""
        method, _, path = change.request.format(**self.ids).partition(" ")
        if method == "FORM":
            return self.submit(change.actor, path, **change.data or {})
        path = path if path.startswith("/") else f"/api/v1/{path}"
        body: dict[str, Any] = {"files": change.files} if change.files else {"json": {}}
        for name, value in (change.data or {}).items():
            body["json"][name] = value.format(**self.ids) if isinstance(value, str) else value
        response = self.request(0, change.actor, method, path, **body)
        assert response.status_code == 200, response.text
        print(f"{change.actor} sent {change.request}")  # noqa: T201 - shown if the test fails
        return response.json()

    def submit(self, viewer: str, path: str, *, form: str = "", **data: str) -> None:
        """Submit a form to the first process. ``form``: the page with the form, if it has another path."""
        page = self.request(0, viewer, "GET", form or path)
        token = page.cookies[settings.CSRF_COOKIE_NAME]
        cookies = self._cookies(viewer, path) | {settings.CSRF_COOKIE_NAME: token}
        data["csrfmiddlewaretoken"] = token
        response = self.request(
            0, viewer, "POST", path, data=data, cookies=cookies, allow_redirects=False
        )
        assert response.status_code == 302, response.text

    def request(
        self, process: int, viewer: str, method: str, path: str, **options: Any
    ) -> requests.Response:
        options.setdefault("cookies", self._cookies(viewer, path))
        url, headers = self.addresses[process] + path, self._headers(viewer, path)
        return http.request(method, url, headers=headers, timeout=30, **options)

    def _headers(self, viewer: str, path: str) -> dict[str, str]:
        language, _, name = viewer.rpartition(" ")
        headers = {"Accept-Language": "de" if language else "en"}
        if path.startswith("/api/") and name in self.log_ins:
            headers["Authorization"] = f"Bearer {self.log_ins[name].token}"
        return headers

    def _cookies(self, viewer: str, path: str) -> dict[str, str]:
        name = viewer.split()[-1]
        if path.startswith("/api/") or name not in self.log_ins:
            return {}
        return {settings.SESSION_COOKIE_NAME: self.log_ins[name].session}


class LogIn:
    """A session and a token of a user."""

    def __init__(self, user: User) -> None:
        client = Client()
        log_in(client, user)
        self.session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.token = token_of(user, f"{EVERYTHING} admin:read admin:write")


def without_volatile_parts(content: bytes) -> str:
    text = COUNTS.sub(r"\1n", VOLATILE.sub("", content.decode()))
    return text.replace(',"', ',\n"')  # the lines of JSON, for readable differences


@cache
def cached_functions() -> list[Any]:
    """Return all functions of our packages whose results are cached."""
    names = [name for name in sys.modules if name.partition(".")[0] in OUR_PACKAGES]
    values = {id(value): value for name in names for value in vars(sys.modules[name]).values()}
    return [value for value in values.values() if hasattr(value, "cache_clear")]


def clear_data_caches() -> None:
    """Clear the caches of the test process whose content the database can change."""
    reset_process_caches()
    caches["default"].clear()


def clear_function_caches() -> None:
    """Clear the caches of the functions of this process, which are cached by their arguments.

    To fill them again takes longer than to render a page, so this is not done before each page.
    """
    for function in cached_functions():
        function.cache_clear()


@pytest.fixture(scope="module")
def addresses(redis: Redis) -> Iterator[tuple[str, str]]:
    environment = {
        "DJANGO_SETTINGS_MODULE": shared_cache_settings.__name__,
        "REDIS_URL": redis.url,
        "SITE_URL": settings.SITE_URL,
        "STREAMING_URL": settings.STREAMING_URL,  # pages contain it
    } | dict.fromkeys(RATE_LIMITS, "")
    options = {"database": connection.settings_dict["NAME"], "data_dir": settings.DATA_DIR}
    options["has_streams"] = False
    with (
        served_site(**options, **environment) as first,
        served_site(**options, **environment) as second,
    ):
        yield first, second


@pytest.fixture
def site(addresses: tuple[str, str], redis: Redis, settings: Any) -> Site:
    settings.LANGUAGES = shared_cache_settings.LANGUAGES
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    with RedisClient.from_url(redis.url) as client:
        client.flushall()
    return Site(addresses)


@pytest.mark.parametrize("subject", CHANGES)
def test_changes_show_in_both_processes(site, subject):
    fill_caches(site, PAGES)
    for step in CHANGES[subject]:
        for change in step.changes:
            site.make(change)
        # This also fills the caches for the next changes.
        assert_up_to_date(site, step.pages, late_seconds=step.late_seconds)


def fill_caches(site: Site, paths: tuple[str, ...]) -> None:
    for process, (viewer, path) in product((0, 1), site.pages(paths)):
        site.shown[viewer, path] = site.get(process, viewer, path)


def assert_up_to_date(site: Site, paths: tuple[str, ...], *, late_seconds: float) -> None:
    """Assert that all viewers see the current pages, in the other process at most ``late_seconds`` late.

    Even before, no page may show a text that the current page does not show.
    """
    changed_at = time.monotonic()
    pages = site.pages(paths)
    expected_pages: dict[tuple[str, str], Page] = {}
    clear_function_caches()
    stale = [(process, *page) for process, page in product((1, 0), pages)]
    while stale:
        asked_at = time.monotonic()
        checked, stale = stale, []
        for process, viewer, path in checked:
            page = site.get(process, viewer, path)
            if (viewer, path) not in expected_pages:
                if paths is PAGES and all(viewer != other for other, _ in expected_pages):
                    clear_function_caches()
                expected_pages[viewer, path] = site.get_uncached(viewer, path)
            expected = expected_pages[viewer, path]
            assert {*TEXTS.findall(page[1])} <= {*TEXTS.findall(expected[1])}, (viewer, path)
            if page != expected:
                is_allowed = process == 1 and asked_at <= changed_at + late_seconds
                assert is_allowed, differences({(viewer, path): expected}, {(viewer, path): page})
                stale.append((process, viewer, path))
    if paths is not PAGES:
        changed = {
            page[1] for page, content in expected_pages.items() if content != site.shown[page]
        }
        assert changed == {path for _, path in pages}, "Not all of these pages show the change"
    site.shown |= expected_pages


@pytest.mark.parametrize(
    "change",
    [
        Change("carol", "POST accounts/{alice}/mute"),
        Change("carol", "POST accounts/{alice}/block"),
        Change("alice", "POST accounts/{carol}/block"),
        Change("mo", MODERATE.format("{alice}"), {"type": "suspend"}),
        Change("mo", MODERATE.format("{alice}"), {"type": "silence"}),
    ],
    ids=["muted", "blocked", "blocked by the user", "suspended", "limited"],
)
def test_a_hidden_user_leaves_the_suggestions_at_once(site, change):
    # Suggestions may be ten minutes old, so ``PAGES`` contains none.
    def suggested(process: int) -> list[str]:
        users = site.request(process, "carol", "GET", "/api/v1/suggestions").json()
        return [user["username"] for user in users]

    assert [suggested(process) for process in (0, 1)] == [["alice"], ["alice"]]
    site.make(change)
    assert [suggested(process) for process in (0, 1)] == [[], []]


def test_each_viewer_gets_their_language(site):
    path = f"/@alice/{site.ids['post']}/"
    for process in (0, 1, 0, 1):
        english = site.request(process, "visitor", "GET", path).text
        german = site.request(process, "German visitor", "GET", path).text
        assert 'lang="en"' in english
        assert 'lang="de"' in german
        assert not re.search(GERMAN_DATE, english)
        assert re.search(GERMAN_DATE, german)


def test_counts_of_users_expire_in_both_processes(site):
    path = f"/api/v1/statuses/{site.ids['post']}"

    def follower_count(process: int) -> int:
        return site.request(process, "bob", "GET", path).json()["account"]["followers_count"]

    assert [follower_count(process) for process in (0, 1)] == [3, 3]
    site.make(Change("carol", "POST accounts/{alice}/follow"))
    for process in (0, 1):
        assert wait_for(lambda process=process: follower_count(process) == 4, COUNT_SECONDS)


SUSPEND_BOB = Change("mo", "POST admin/accounts/{bob}/action", {"type": "suspend"})
WAYS_TO_LOSE_ACCESS = {
    "revoked app": lambda site: site.submit(
        "bob", f"/settings/apps/{Application.objects.get().pk}/revoke/", form="/settings/apps/"
    ),
    "suspended": lambda site: site.make(SUSPEND_BOB),
    "new password": lambda site: site.submit(
        "bob", "/accounts/password/change/", oldpassword=PASSWORD, password1=NEW, password2=NEW
    ),
    "ended sessions": lambda site: site.submit(
        "bob", "/settings/sessions/end/", form="/settings/sessions/"
    ),
}


@pytest.mark.parametrize("way", ["suspended", "new password", "ended sessions"])
def test_a_session_ends_at_once_in_both_processes(site, way):
    site.log_ins["phone"] = LogIn(site.users["bob"])

    def status(process: int) -> int:
        response = site.request(process, "phone", "GET", "/bookmarks/", allow_redirects=False)
        return response.status_code

    assert [status(process) for process in (0, 1)] == [200, 200]
    WAYS_TO_LOSE_ACCESS[way](site)
    assert [status(process) for process in (0, 1)] == [302, 302]


@pytest.mark.parametrize(("way", "refusal"), [("revoked app", 401), ("suspended", 403)])
def test_a_token_writes_nothing_at_once_and_reads_nothing_after_a_second(site, way, refusal):
    def status(process: int, method: str, path: str) -> int:
        return site.request(process, "bob", method, f"/api/v1/{path}").status_code

    assert [status(process, "GET", "bookmarks") for process in (0, 1)] == [200, 200]
    WAYS_TO_LOSE_ACCESS[way](site)
    like = f"statuses/{site.ids['post']}/favourite"
    assert [status(process, "POST", like) for process in (0, 1)] == [refusal, refusal]
    assert status(0, "GET", "bookmarks") == refusal
    assert wait_for(lambda: status(1, "GET", "bookmarks") == refusal, access_tokens.CACHE_SECONDS)


@pytest.mark.parametrize(
    ("change", "late_seconds"),
    [
        (Change("alice", "DELETE statuses/{picture_post}"), 0),
        (Change("alice", PROFILE, {"locked": True}), CARD_SECONDS),
        (Change("mo", MODERATE.format("{alice}"), {"type": "suspend"}), CARD_SECONDS),
    ],
    ids=["deleted post", "private account", "suspended author"],
)
def test_a_picture_is_no_longer_public(site, change, late_seconds):
    media = site.make(Change("alice", "POST media", files={"file": picture()}))
    post = site.make(Change("alice", "POST statuses", {"media_ids": [media["id"]]}))
    site.ids["picture_post"] = post["id"]
    path = urlsplit(post["media_attachments"][0]["url"]).path

    def status(process: int) -> int:
        return site.request(process, "visitor", "GET", path).status_code

    assert [status(process) for process in (0, 1)] == [200, 200]
    site.make(change)
    assert status(0) == 404
    assert wait_for(lambda: status(1) == 404, late_seconds)


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds, at most ``seconds``. Return False if it still does not hold then."""
    until = time.monotonic() + seconds
    while True:
        is_last = time.monotonic() > until
        if condition():
            return True
        if is_last:
            return False
        time.sleep(0.05)
