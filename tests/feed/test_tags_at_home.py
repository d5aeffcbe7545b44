"""Hashtags that a reader follows: posts of strangers come home by them, in order, within bounds."""

import pytest

from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.services.tags import follow_tag, unfollow_tag
from feed.store import posts
from feed.store.post_rows import IdRange
from feed.timeline.home import home_page
from feed.timeline.quiet_authors import quiet_authors_page
from feed.timeline.strategies import STRATEGIES
from tests.factories import follow, people, publish

from .asking import examined, plan_of
from .reading_html import words


@pytest.fixture
def follows_cats(alice):
    follow_tag(uid=alice.pk, tag="cats")
    return alice


@pytest.fixture(params=STRATEGIES)
def strategy(request, settings):
    settings.FEED_STRATEGY = request.param
    return request.param


def home(reader, limit=20, **window):
    return home_page(viewer=reader.pk, limit=limit, **window)


def ids(reader):
    found, page = [], home(reader, limit=4)
    while True:
        found += [one.entry_id for one in page.posts]
        if page.older_cursor is None:
            return found
        page = home(reader, limit=4, max_id=int(page.older_cursor))


def test_posts_of_strangers_come_by_their_hashtag_and_say_so(follows_cats, bob, carol, client):
    follow(follows_cats, bob)
    known = publish(bob, "mine has #cats too")
    stranger = publish(carol, "look, #Cats!")
    publish(carol, "about #dogs")
    page = home(follows_cats)
    assert [(one.id, one.source_tag) for one in page.posts] == [(stranger, "cats"), (known, "")]
    client.force_login(follows_cats)
    assert "#cats" in words(client.get("/").content.decode()).replace("#Cats", "")
    unfollow_tag(uid=follows_cats.pk, tag="cats")
    assert ids(follows_cats) == [known]


def test_they_stand_in_the_order_of_time_over_all_pages_once_each(
    follows_cats, bob, carol, settings
):
    settings.FEED_INBOX_MAX = 200
    follow(follows_cats, bob)
    home(follows_cats)
    made = []
    for n in range(7):
        made.append(publish(bob, f"{n} #cats" if n % 3 else f"{n}"))
        made.append(publish(carol, f"{n} #cats #cats #dogs"))
    follow_tag(uid=follows_cats.pk, tag="dogs")
    assert ids(follows_cats) == made[::-1]
    upwards = home(follows_cats, min_id=made[5], limit=6)
    assert [one.entry_id for one in upwards.posts] == made[6:12][::-1]


def test_beyond_the_inbox_they_come_from_the_same_road(follows_cats, bob, carol, strategy):
    follow(follows_cats, bob)
    made = [publish(one, f"{n} #cats") for n in range(6) for one in (bob, carol)]
    assert ids(follows_cats) == made[::-1]


def test_what_is_not_for_everybody_or_not_wanted_does_not_come(follows_cats, bob, carol):
    muted, blocking, private = people(3)
    mute_user(owner=follows_cats.pk, other=muted.pk, until=None)
    block_user(owner=blocking.pk, other=follows_cats.pk)
    set_private(uid=private.pk, is_private=True)
    for author in (muted, blocking, private):
        publish(author, "#cats")
    for visibility in ("unlisted", "followers"):
        publish(carol, "#cats", visibility)
    publish(carol, "@bob #cats", "direct")
    assert ids(follows_cats) == []


def test_who_follows_tags_alone_has_a_home(follows_cats, carol):
    page = home(follows_cats)
    assert (page.posts, page.empty_reason) == ((), "nobody_posted")
    post = publish(carol, "#cats")
    assert ids(follows_cats) == [post]


def test_they_are_no_quiet_people(follows_cats, carol):
    publish(carol, "#cats")
    assert quiet_authors_page(viewer=follows_cats.pk, limit=9).posts == ()


def test_followed_tags_cost_a_home_page_no_further_command(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    publish(bob)
    client.get("/")
    costs = []
    for tags in ([], [f"tag{n}" for n in range(100)]):
        for tag in tags:
            follow_tag(uid=alice.pk, tag=tag)
        client.get("/")
        with record_commands() as commands:
            client.get("/")
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_very_many_posts_with_many_followed_tags_are_read_by_the_index(alice, record_commands):
    """About as many as are shown, whatever there is."""
    tags = [f"tag{n}" for n in range(100)]
    Post.objects.bulk_create(
        Post(author=alice, text="x", entities=[{"kind": "hashtag", "value": tags[n % 100]}])
        for n in range(3000)
    )
    with record_commands() as commands:
        _, found = posts.posts_with_merged(
            ids=[], authors=[], hashtags=tags, id_range=IdRange(), limit=20
        )
    assert len(found) == 20
    [(_name, asked)] = commands
    assert 20 <= examined(plan_of(asked)) <= 60
