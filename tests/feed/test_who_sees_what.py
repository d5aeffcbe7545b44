"""Every page shows exactly the visible posts, for each relationship, privacy setting and visibility."""

import pytest
from django.test import Client

from accounts.models import User
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import follow_user, remove_follower
from accounts.services.profiles import set_private
from tests.database import command_log
from tests.factories import follow, publish, usual_user

pytestmark = pytest.mark.usefixtures("every_cache")

VISIBILITIES = ("public", "unlisted", "followers", "direct")

# ``{relationship: (readable visibilities if alice's account is open, the same if it is private)}``.
READABLE = {
    "visitor": ("public unlisted", ""),
    "stranger": ("public unlisted", ""),
    "follower": ("public unlisted followers", "public unlisted followers"),
    "muting follower": ("public unlisted followers", "public unlisted followers"),
    "removed follower": ("public unlisted", ""),
    "requesting": ("public unlisted", ""),
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
SEES_POSTS_AT_HOME = {"follower", "mentioned follower", "author"}
IN_REDIS = {"muting follower", "blocked"}
KINDS = [(relation, private) for relation in READABLE for private in (False, True)]


class Site:
    """A site where alice publishes a post of each visibility.

    ``relation`` is the viewer's relationship to alice, and ``private`` makes alice's account private.
    """

    def __init__(self, relation, private):
        self.alice, self.bob, self.carol = User.objects.bulk_create(
            map(usual_user, ("alice", "bob", "carol"))
        )
        self.viewer = {"visitor": None, "author": self.alice}.get(relation, self.bob)
        self.client = Client()
        self._prepare(relation, private)

    def _prepare(self, relation, private):
        alice, bob, carol = self.alice, self.bob, self.carol
        if relation in WAS_FOLLOWER:
            follow(bob, alice)
        follow(carol, alice)
        if self.viewer is bob:
            follow(bob, carol)
        set_private(uid=alice.pk, is_private=private)
        if relation == "requesting":
            set_private(uid=alice.pk, is_private=True)
            follow_user(follower=bob.pk, followee=alice.pk)
            set_private(uid=alice.pk, is_private=private)
        mentioned = "bob" if relation in IS_MENTIONED else "carol"
        self.posts = {
            name: publish(alice, f"words-{name} @{mentioned}", visibility=name)
            for name in VISIBILITIES
        }
        if self.viewer is not None:
            self.client.force_login(self.viewer)
            self.client.get("/")  # fills the inbox before the relationship changes
        if relation == "muting follower":
            mute_user(owner=bob.pk, other=alice.pk, until=None)
        if relation == "removed follower":
            remove_follower(uid=alice.pk, follower=bob.pk)
        if relation == "blocked":
            block_user(owner=alice.pk, other=bob.pk)
        if relation == "blocking":
            block_user(owner=bob.pk, other=alice.pk)

    def visibilities_on(self, path):
        """Return the visibilities of the posts on a page. The set is empty if the page does not exist."""
        response = self.client.get(path, follow=True)
        if response.status_code == 404:
            return set()
        assert response.status_code == 200
        text = response.content.decode()
        return {name for name in VISIBILITIES if f"words-{name}" in text}


@pytest.mark.parametrize(
    ("every_cache", "relation", "private"),
    [
        *(("collection", *kind) for kind in KINDS),
        # The cache does not depend on the relationship, so two are enough for the other cache.
        *(
            pytest.param("redis", *kind, marks=pytest.mark.slow)
            for kind in KINDS
            if kind[0] in IN_REDIS
        ),
    ],
    indirect=["every_cache"],
    ids=lambda value: {False: "open", True: "private"}.get(value, value),
)
def test_pages_show_exactly_the_visible_posts_and_actions_reach_no_others(
    every_cache, relation, private
):
    with command_log.uncounted():
        site = Site(relation, private)
    readable = set(READABLE[relation][private].split())
    assert_post_pages(site, readable)
    assert_profile(site, readable)
    assert_public_page(site, relation, private, readable)
    if relation != "visitor":
        assert_home(site, relation, readable)
        assert_actions_are_refused(site, relation, readable)
    assert_shares(site, relation, readable)


def assert_post_pages(site, readable):
    for name, post in site.posts.items():
        result = site.visibilities_on(f"/@alice/{post}/")
        assert result == ({name} if name in readable else set())


def assert_profile(site, readable):
    newest = site.posts["direct"]
    for query in ("", f"?max_id={newest + 1}", "?min_id=1"):
        assert site.visibilities_on(f"/@alice/{query}") == readable, query


def assert_public_page(site, relation, private, readable):
    muted = relation == "muting follower"
    wanted = set() if private or muted else readable & {"public"}
    if private and relation in {"follower", "mentioned follower", "author"}:
        wanted = {"public"}
    for query in ("", "?since_id=1"):
        assert site.visibilities_on(f"/public/{query}") == wanted, query


def assert_home(site, relation, readable):
    newest = site.posts["direct"]
    wanted = readable if relation in SEES_POSTS_AT_HOME else set()
    for path in ("/", f"/?max_id={newest + 1}", "/?min_id=1", "/unread/?min_id=1"):
        assert site.visibilities_on(path) == wanted, path
    assert site.visibilities_on("/quiet/") <= wanted


def assert_shares(site, relation, readable):
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
    assert site.visibilities_on("/@carol/") == shareable
    if relation in {
        "stranger",
        "removed follower",
        "mentioned",
        "requesting",
        "blocked",
        "blocking",
    }:
        assert site.visibilities_on("/") == shareable
    if relation == "muting follower":
        assert site.visibilities_on("/") == set()


def assert_actions_are_refused(site, relation, readable):
    for name, post in site.posts.items():
        if name not in readable:
            assert site.client.post(f"/posts/{post}/share/").status_code == 404
        if relation != "author":
            assert site.client.post(f"/posts/{post}/edit/", {"text": "mine"}).status_code == 404
            assert site.client.post(f"/posts/{post}/delete/").status_code == 404
