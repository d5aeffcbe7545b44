"""Shares: one per user, undo, deletion with the post, and no repeated posts in the home timeline."""

from datetime import timedelta

import pytest
from django.db import connection
from django.http import Http404
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import first_id_at
from accounts.infra.refusals import Refused
from accounts.services.blocks_and_mutes import mute_user, unmute_user
from accounts.services.follow_settings import hide_shares
from accounts.services.follows import unfollow_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors.likers import sharer_uid_page
from feed.selectors.post_pages import profile_page
from feed.selectors.visible_posts import visible_post
from feed.services.interactions import unshare_post
from feed.services.posts import delete_post
from feed.store import recount
from feed.timeline.home import home_page
from tests.actions import share_post
from tests.at_once import at_once
from tests.factories import follow, people, publish


def entries(reader, **window):
    page = home_page(viewer=reader.pk, bounds=PageBounds(limit=40, **window))
    return [(post.entry_id, post.id) for post in page.posts]


@pytest.fixture
def dave(clean_site):
    from tests.factories import UserFactory

    return UserFactory(username="dave")


def test_followers_of_the_sharer_see_the_post_with_both_names(alice, bob, carol, client):
    follow(alice, bob)
    post = publish(carol, "worth a look")
    share = share_post(post_id=post, actor=bob)
    client.force_login(alice)
    text = client.get("/").content.decode()
    assert "worth a look" in text
    assert "Bob Brown" in text
    assert "Carol Clark" in text
    assert entries(alice) == [(share, post)]


def test_a_post_is_shared_once_per_user(alice, bob):
    post = publish(bob)
    assert share_post(post_id=post, actor=alice) == share_post(post_id=post, actor=alice)
    assert Post.objects.filter(share_of=post).count() == 1


def test_shares_of_private_accounts_are_not_counted_and_listed_for_followers_only(
    alice, bob, carol
):
    post = publish(alice)
    follow(alice, carol)
    set_private(uid=carol.pk, is_private=True)
    carol.refresh_from_db()
    private = share_post(post_id=post, actor=carol)
    public = share_post(post_id=post, actor=bob)

    def sharers(viewer):
        page = sharer_uid_page(post_id=post, viewer=viewer, bounds=PageBounds(limit=1))
        return page.items, page.older_cursor

    assert sharers(None) == sharers(bob.pk) == ((bob.pk,), None)
    assert sharers(alice.pk) == ((bob.pk,), str(public))
    assert Post.objects.get(pk=post).shares == 1
    assert recount.miscounted_posts(ids=[post]) == []
    assert unshare_post(post_id=post, actor=carol)
    assert Post.objects.get(pk=post).shares == 1
    assert not Post.objects.filter(pk=private).exists()


def test_concurrent_shares_of_one_user_make_one_share(alice, bob):
    post = publish(bob)

    at_once(*[lambda: share_post(post_id=post, actor=alice)] * 6)
    assert Post.objects.filter(share_of=post).count() == 1
    assert connection.database["shares"].count_documents({}) == 1
    assert Post.objects.get(pk=post).shares == 1


def test_a_concurrently_deleted_post_is_not_shared(alice, bob, monkeypatch):
    post = publish(bob)
    view = visible_post(post_id=post, viewer=alice.pk)
    delete_post(post_id=post, actor=bob)
    monkeypatch.setattr("tests.actions.visible_post", lambda **_: view)
    with pytest.raises(Http404):
        share_post(post_id=post, actor=alice)
    assert Post.objects.count() == 0
    assert connection.database["shares"].count_documents({}) == 0


def test_shares_are_counted_and_uncounted(alice, bob, carol):
    post = publish(carol)
    for actor in (alice, bob, alice):
        share_post(post_id=post, actor=actor)
    assert Post.objects.get(pk=post).shares == 2
    unshare_post(post_id=post, actor=bob)
    share = share_post(post_id=post, actor=alice)
    delete_post(post_id=share, actor=alice)
    assert Post.objects.get(pk=post).shares == 0


def test_a_share_can_be_undone_and_repeated(alice, bob, carol):
    follow(alice, bob)
    post = publish(carol)
    share_post(post_id=post, actor=bob)
    assert unshare_post(post_id=post, actor=bob)
    assert not unshare_post(post_id=post, actor=bob)
    assert entries(alice) == []
    again = share_post(post_id=post, actor=bob)
    assert entries(alice) == [(again, post)]


def test_the_id_of_a_share_stands_for_the_shared_post(alice, bob, carol, client):
    post = publish(carol)
    share = share_post(post_id=post, actor=bob)
    assert share_post(post_id=share, actor=bob) == share
    assert Post.objects.get(pk=share_post(post_id=share, actor=alice)).share_of == post
    assert client.get(f"/@bob/{share}/").url == f"/@carol/{post}/"


def test_deleting_a_post_deletes_its_shares(alice, bob, carol):
    follow(alice, bob)
    post = publish(carol)
    share_post(post_id=post, actor=bob)
    delete_post(post_id=post, actor=carol)
    assert entries(alice) == []
    assert profile_page(author=bob.pk, viewer=alice.pk, bounds=PageBounds(limit=10)).posts == ()


def test_deleting_a_share_keeps_the_post(alice, bob):
    post = publish(bob)
    share = share_post(post_id=post, actor=alice)
    delete_post(post_id=share, actor=alice)
    assert Post.objects.filter(pk=post).exists()
    assert not Post.objects.filter(pk=share).exists()
    assert not unshare_post(post_id=post, actor=alice)


@pytest.mark.parametrize("visibility", ["followers", "direct"])
def test_posts_that_are_not_public_cannot_be_shared(alice, bob, visibility):
    follow(alice, bob)
    post = publish(bob, "@alice psst", visibility=visibility)
    with pytest.raises(Refused, match="share only public and unlisted"):
        share_post(post_id=post, actor=alice)
    with pytest.raises(Refused, match="share only public and unlisted"):
        share_post(post_id=post, actor=bob)
    assert not Post.objects.filter(share_of=post).exists()


def test_an_unknown_post_cannot_be_shared(alice):
    with pytest.raises(Http404):
        share_post(post_id=12345, actor=alice)


def test_a_post_shared_by_two_users_appears_once(alice, bob, carol, dave):
    follow(alice, bob, dave)
    post = publish(carol)
    first = share_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=dave)
    assert entries(alice) == [(first, post)]
    # If the first share is hidden from the viewer, the second share is shown.
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert [post for _, post in entries(alice)] == [post]
    unmute_user(owner=alice.pk, other=bob.pk)
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    assert [post for _, post in entries(alice)] == [post]
    assert entries(alice) != [(first, post)]


def test_a_share_below_the_page_suppresses_a_share_on_the_page(alice, bob, carol, dave):
    """The page has no other entry that involves bob, so it must look up the relationship to bob."""
    follow(alice, bob, dave)
    post = publish(carol)
    first = share_post(post_id=post, actor=bob)
    second = share_post(post_id=post, actor=dave)
    assert entries(alice, since_id=first) == []
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    assert entries(alice, since_id=first) == [(second, post)]


def test_a_share_of_a_visible_post_is_dropped(alice, bob, carol):
    follow(alice, bob, carol)
    post = publish(carol)
    share_post(post_id=post, actor=bob)
    assert entries(alice) == [(post, post)]
    unfollow_user(follower=alice.pk, followee=carol.pk)
    assert [post for _, post in entries(alice)] == [post]


@pytest.mark.parametrize(("days_apart", "times"), [(6, 1), (8, 2)])
def test_a_shared_post_appears_again_after_the_window(alice, bob, carol, dave, days_apart, times):
    follow(alice, bob, dave)
    post = publish(carol)
    for sharer, days in ((bob, 20), (dave, 20 - days_apart)):
        share = share_post(post_id=post, actor=sharer)
        _replace_id(share, first_id_at(moment=timezone.now() - timedelta(days=days)), sharer)
    _replace_id(post, first_id_at(moment=timezone.now() - timedelta(days=100)), carol)
    connection.database["inbox_heads"].delete_many({})
    assert len(entries(alice)) == times
    assert len(entries(alice, min_id=0)) == times


def test_only_shown_shares_suppress_later_ones(alice, carol):
    sharers = people(4)
    follow(alice, *sharers)
    post = publish(carol)
    shares = {}
    for sharer, days in zip(sharers, (40, 34, 30, 28), strict=True):
        share = share_post(post_id=post, actor=sharer)
        shares[days] = first_id_at(moment=timezone.now() - timedelta(days=days))
        _replace_id(share, shares[days], sharer)
    _replace_id(post, first_id_at(moment=timezone.now() - timedelta(days=100)), carol)
    connection.database["inbox_heads"].delete_many({})
    expected = [shares[30], shares[40]]
    assert [entry for entry, _ in entries(alice)] == expected
    assert [entry for entry, _ in entries(alice, min_id=0)] == expected
    assert [entry for entry, _ in entries(alice, max_id=shares[30] + 1)] == expected
    assert [entry for entry, _ in entries(alice, max_id=shares[30])] == expected[1:]


def test_shares_of_deactivated_users_suppress_no_others(alice, bob, carol, dave):
    follow(alice, bob, dave)
    post = publish(carol)
    share_post(post_id=post, actor=bob)
    second = share_post(post_id=post, actor=dave)
    bob.is_active = False
    bob.save()
    assert entries(alice) == [(second, post)]


def test_a_large_author_leaves_no_merged_post_after_undoing_a_share(alice, bob, carol, settings):
    settings.FEED_PUSH_LIMIT = 0
    follow(alice, bob)
    post = publish(carol)
    share = share_post(post_id=post, actor=bob)
    assert share_post(post_id=post, actor=bob) == share
    rows = connection.database["merged_posts"].find({"author": bob.pk})
    assert [row["post"] for row in rows] == [share]
    unshare_post(post_id=post, actor=bob)
    assert connection.database["merged_posts"].count_documents({"author": bob.pk}) == 0


def _replace_id(id, to, author):
    """Replace the id of a post, so that the post seems to be published at another time."""
    database = connection.database
    document = database["feed_post"].find_one({"_id": id})
    database["feed_post"].delete_one({"_id": id})
    database["feed_post"].insert_one({**document, "_id": to})
    database["feed_post"].update_many({"share_of": id}, {"$set": {"share_of": to}})
    database["shares"].update_many({"post": id}, {"$set": {"post": to}})
    if fact := database["shares"].find_one({"_id": id}):
        database["shares"].delete_one({"_id": id})
        database["shares"].insert_one({**fact, "_id": to})


def test_shares_of_a_user_can_be_hidden_and_shown_again(alice, bob, carol):
    follow(alice, bob)
    own = publish(bob, "mine")
    share = share_post(post_id=publish(carol, "not mine"), actor=bob)
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    assert [entry for entry, _ in entries(alice)] == [own]
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=False)
    assert [entry for entry, _ in entries(alice)] == [share, own]
