"""Visibility on every page: relationship x account status x visibility x page."""

from functools import partial

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import follow_user, remove_follower
from accounts.services.profiles import set_private
from tests.factories import follow, publish, usual_user
from tests.worlds import world

VISIBILITIES = ("public", "unlisted", "followers", "direct")

# Which of these may be read, of an open account and of a private one.
READABLE = {
    "visitor": ("public unlisted", ""),
    "stranger": ("public unlisted", ""),
    "follower": ("public unlisted followers", "public unlisted followers"),
    "muting follower": ("public unlisted followers", "public unlisted followers"),
    "removed follower": ("public unlisted", ""),
    "asking": ("public unlisted", ""),
    "mentioned": ("public unlisted direct", "direct"),
    "mentioned follower": (
        "public unlisted followers direct",
        "public unlisted followers direct",
    ),
    "blocked": ("", ""),
    "blocking": ("", ""),
    "author": ("public unlisted followers direct", "public unlisted followers direct"),
}
WAS_FOLLOWER = {
    "follower",
    "muting follower",
    "removed follower",
    "mentioned follower",
    "blocked",
    "blocking",
}
IS_MENTIONED = {"mentioned", "mentioned follower", "blocked", "blocking"}
HAS_IT_AT_HOME = {"follower", "mentioned follower", "author"}
KINDS = [(relation, private) for relation in READABLE for private in (False, True)]


class Site:
    """Alice writes, Carol shares what she can, and the viewer looks."""

    def __init__(self, relation, private):
        self.alice, self.bob, self.carol = User.objects.bulk_create(
            map(usual_user, ("alice", "bob", "carol"))
        )
        self.viewer = {"visitor": None, "author": self.alice}.get(relation, self.bob)
        self.session = ""
        self._prepare(relation, private)

    def _prepare(self, relation, private):
        alice, bob, carol = self.alice, self.bob, self.carol
        if relation in WAS_FOLLOWER:
            follow(bob, alice)
        follow(carol, alice)
        if self.viewer is bob:
            follow(bob, carol)
        set_private(uid=alice.pk, is_private=private)
        if relation == "asking":
            set_private(uid=alice.pk, is_private=True)
            follow_user(follower=bob.pk, followee=alice.pk)
            set_private(uid=alice.pk, is_private=private)
        mentioned = "bob" if relation in IS_MENTIONED else "carol"
        self.posts = {
            name: publish(alice, f"words-{name} @{mentioned}", visibility=name)
            for name in VISIBILITIES
        }
        if self.viewer is not None:
            client = Client()
            client.force_login(self.viewer)
            client.get("/")  # so that an inbox holds what is taken away next
            self.session = client.cookies[settings.SESSION_COOKIE_NAME].value
        if relation == "muting follower":
            mute_user(owner=bob.pk, other=alice.pk, until=None)
        if relation == "removed follower":
            remove_follower(uid=alice.pk, follower=bob.pk)
        if relation == "blocked":
            block_user(owner=alice.pk, other=bob.pk)
        if relation == "blocking":
            block_user(owner=bob.pk, other=alice.pk)

    def open(self, client):
        """Let this client look, as the viewer."""
        self.client = client
        if self.session:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.session
        return self

    def words_on(self, path):
        """Whose posts' words are on a page; none if there is no such page for this viewer."""
        response = self.client.get(path, follow=True)
        if response.status_code == 404:
            return set()
        assert response.status_code == 200
        text = response.content.decode()
        return {name for name in VISIBILITIES if f"words-{name}" in text}


SITES = {kind: world(partial(Site, *kind), name=f"{__name__}.{kind}") for kind in KINDS}
of_every_kind = pytest.mark.parametrize(
    ("relation", "private"),
    KINDS,
    ids=[f"{name} of {'a private' if private else 'an open'} account" for name, private in KINDS],
)


@of_every_kind
def test_nobody_reads_more_or_less_than_they_may(relation, private, client):
    site = SITES[relation, private].restore().open(client)
    readable = set(READABLE[relation][private].split())
    single_posts_open_for_those_who_may_read_them(site, readable)
    a_profile_shows_what_may_be_read_by_every_cursor(site, readable)
    everybodys_page_shows_only_what_is_for_everybody(site, relation, private, readable)
    if relation != "visitor":
        home_shows_what_is_followed_and_may_be_read(site, relation, readable)


@of_every_kind
def test_nobody_acts_on_or_is_shown_by_others_what_they_may_not_read(relation, private, client):
    site = SITES[relation, private].restore().open(client)
    readable = set(READABLE[relation][private].split())
    if relation != "visitor":
        nobody_acts_on_what_they_cannot_read(site, relation, readable)
    a_share_never_shows_more_than_its_viewer_may_read(site, relation, readable)


def single_posts_open_for_those_who_may_read_them(site, readable):
    for name, post in site.posts.items():
        result = site.words_on(f"/@alice/{post}/")
        assert result == ({name} if name in readable else set())


def a_profile_shows_what_may_be_read_by_every_cursor(site, readable):
    newest = site.posts["direct"]
    for query in (
        "",
        f"?max_id={newest + 1}",
        "?min_id=1",
        "?since_id=1",
        f"?min_id=1&max_id={newest + 1}",
    ):
        assert site.words_on(f"/@alice/{query}") == readable, query


def everybodys_page_shows_only_what_is_for_everybody(site, relation, private, readable):
    muted = relation == "muting follower"
    wanted = set() if private or muted else readable & {"public"}
    if private and relation in {"follower", "mentioned follower", "author"}:
        wanted = {"public"}
    for query in ("", "?min_id=1", "?since_id=1"):
        assert site.words_on(f"/public/{query}") == wanted, query


def home_shows_what_is_followed_and_may_be_read(site, relation, readable):
    newest = site.posts["direct"]
    wanted = readable if relation in HAS_IT_AT_HOME else set()
    paths = ["/", f"/?max_id={newest + 1}", "/?min_id=1", "/?since_id=1", "/unread/?min_id=1"]
    for path in paths:
        assert site.words_on(path) == wanted, path
    assert site.words_on("/quiet/") <= wanted


def a_share_never_shows_more_than_its_viewer_may_read(site, relation, readable):
    for name in ("public", "unlisted"):
        site.client.force_login(site.carol)
        shared = site.client.post(f"/posts/{site.posts[name]}/share/")
        assert shared.status_code == 302
    for name in ("followers", "direct"):
        site.client.post(f"/posts/{site.posts[name]}/share/")
    if site.viewer is None:
        site.client.logout()
    else:
        site.client.force_login(site.viewer)
    shareable = readable & {"public", "unlisted"}
    assert site.words_on("/@carol/") == shareable
    if relation in {"stranger", "removed follower", "mentioned", "asking", "blocked", "blocking"}:
        assert site.words_on("/") == shareable
    if relation == "muting follower":
        assert site.words_on("/") == set()


def nobody_acts_on_what_they_cannot_read(site, relation, readable):
    for name, post in site.posts.items():
        if name not in readable:
            assert site.client.post(f"/posts/{post}/share/").status_code == 404
        if relation != "author":
            assert site.client.post(f"/posts/{post}/edit/", {"text": "mine"}).status_code == 404
            assert site.client.post(f"/posts/{post}/delete/").status_code == 404
