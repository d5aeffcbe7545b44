"""Followed hashtags: the home timeline shows posts with the hashtag by all authors, at bounded cost."""

import pytest

from accounts.infra.cursors import PageBounds
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.services.tags import follow_tag, unfollow_tag
from feed.store import posts
from feed.store.home_states import hide_suggestions
from feed.store.post_rows import IdRange
from feed.timeline import candidates
from feed.timeline.home import home_page
from feed.timeline.quiet_authors import quiet_authors_page
from feed.timeline.strategies import STRATEGIES
from tests.actions import add_comment, share_post
from tests.factories import UserFactory, follow, people, publish, publish_many

from .query_plans import examined, plan_of
from .reading_html import words


@pytest.fixture
def follows_cats(alice):
    follow_tag(uid=alice.pk, tag="cats")
    return alice


@pytest.fixture(params=STRATEGIES)
def strategy(request, settings):
    settings.FEED_STRATEGY = request.param
    return request.param


def home(viewer, limit=20, **window):
    return home_page(viewer=viewer.pk, bounds=PageBounds(limit=limit, **window))


def home_ids(viewer):
    entry_ids, page = [], home(viewer, limit=4)
    while True:
        entry_ids += [post.entry_id for post in page.posts]
        if page.older_cursor is None:
            return entry_ids
        page = home(viewer, limit=4, max_id=int(page.older_cursor))


def test_a_share_of_a_post_that_a_hashtag_brought_does_not_repeat_it(follows_cats, bob, carol):
    follow(follows_cats, bob)
    post = publish(carol, "look, #Cats!")
    other = publish(carol, "about #dogs")
    shares = [share_post(post_id=shared, actor=bob) for shared in (post, other)]
    assert home_ids(follows_cats) == [shares[1], post]
    unfollow_tag(uid=follows_cats.pk, tag="cats")
    assert home_ids(follows_cats) == shares[::-1]
    follow_tag(uid=follows_cats.pk, tag="cats")
    mute_user(owner=follows_cats.pk, other=carol.pk, until=None)
    assert home_ids(follows_cats) == []


def test_posts_of_hidden_people_with_a_hashtag_leave_no_trace_in_cursors(
    follows_cats, bob, carol, client
):
    set_private(uid=carol.pk, is_private=True)
    posts = [publish(bob, f"#cats {n}") for n in range(3)]
    publish(carol, "#cats in secret")
    page = home(follows_cats, limit=2)
    assert [post.id for post in page.posts] == posts[:0:-1]
    assert (page.newest_seen_id, page.older_cursor) == (posts[2], str(posts[1]))


def test_many_hidden_posts_with_a_hashtag_empty_no_page(follows_cats, bob, carol, strategy):
    """Home shows the same pages, with the same cursors and comments, with and without hidden posts."""
    follow(follows_cats, bob)
    older, commented = publish(carol, "#cats"), publish(bob, "Mine")
    add_comment(post_id=commented, actor=UserFactory(), text="Hello")
    home(follows_cats)
    private = UserFactory()
    set_private(uid=private.pk, is_private=True)

    def observed():
        pages = [home(follows_cats, limit=20), home(follows_cats, limit=20, min_id=1)]
        pages += [home(follows_cats, limit=1), home(follows_cats, limit=1, max_id=commented)]
        pages += [home(follows_cats, limit=1, min_id=older)]
        return [
            (
                [(post.id, len(post.newest_comments)) for post in page.posts],
                page.older_cursor,
                page.newer_cursor,
            )
            for page in pages
        ]

    before = observed()
    assert before[0] == ([(commented, 1), (older, 0)], None, None)
    attributes = [{"kind": "hashtag", "value": "cats"}]
    Post.objects.bulk_create(
        Post(author=private, text="#cats", attributes=attributes) for _ in range(70)
    )
    assert observed() == before
    newest = publish(bob, "The newest")
    assert home_ids(follows_cats) == [newest, commented, older]


def test_a_short_page_continues_after_its_last_visible_post(follows_cats, bob, carol, monkeypatch):
    monkeypatch.setattr(candidates, "MAX_EXAMINED", 5)
    older = publish(carol, "#cats")
    set_private(uid=bob.pk, is_private=True)
    publish_many(bob, 6, tag="#cats")
    newer = publish(carol, "#cats")
    assert home(follows_cats, limit=4).older_cursor == str(newer)
    assert home_ids(follows_cats) == [newer, older]


def test_posts_of_strangers_appear_with_their_hashtag(follows_cats, bob, carol, client):
    follow(follows_cats, bob)
    followed = publish(bob, "mine has #cats too")
    stranger = publish(carol, "look, #Cats!")
    publish(carol, "about #dogs")
    page = home(follows_cats)
    assert [(post.id, post.source_tag) for post in page.posts] == [
        (stranger, "cats"),
        (followed, ""),
    ]
    client.force_login(follows_cats)
    assert "#cats" in words(client.get("/").content.decode()).replace("#Cats", "")
    unfollow_tag(uid=follows_cats.pk, tag="cats")
    assert home_ids(follows_cats) == [followed]


def test_pages_show_each_post_once_newest_first(follows_cats, bob, carol, settings):
    settings.FEED_INBOX_MAX = 200
    follow(follows_cats, bob)
    home(follows_cats)
    post_ids = []
    for n in range(7):
        post_ids.append(publish(bob, f"{n} #cats" if n % 3 else f"{n}"))
        post_ids.append(publish(carol, f"{n} #cats #cats #dogs"))
    follow_tag(uid=follows_cats.pk, tag="dogs")
    assert home_ids(follows_cats) == post_ids[::-1]
    newer_page = home(follows_cats, min_id=post_ids[5], limit=6)
    assert [post.entry_id for post in newer_page.posts] == post_ids[6:12][::-1]


def test_every_strategy_continues_below_the_inbox(follows_cats, bob, carol, strategy):
    follow(follows_cats, bob)
    post_ids = [publish(author, f"{n} #cats") for n in range(6) for author in (bob, carol)]
    assert home_ids(follows_cats) == post_ids[::-1]


def test_hidden_authors_and_posts_that_are_not_public_are_left_out(follows_cats, bob, carol):
    muted, blocking, private = people(3)
    mute_user(owner=follows_cats.pk, other=muted.pk, until=None)
    block_user(owner=blocking.pk, other=follows_cats.pk)
    set_private(uid=private.pk, is_private=True)
    for author in (muted, blocking, private):
        publish(author, "#cats")
    for visibility in ("unlisted", "followers"):
        publish(carol, "#cats", visibility)
    publish(carol, "@bob #cats", "direct")
    assert home_ids(follows_cats) == []


def test_a_user_who_follows_only_tags_has_a_home_timeline(follows_cats, carol):
    page = home(follows_cats)
    assert (page.posts, page.empty_reason) == ((), "nobody_posted")
    post = publish(carol, "#cats")
    assert home_ids(follows_cats) == [post]


def test_strangers_are_not_quiet_authors(follows_cats, carol):
    publish(carol, "#cats")
    assert quiet_authors_page(viewer=follows_cats.pk, limit=9).posts == ()


def test_followed_tags_cost_no_extra_command(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    publish(bob)
    # Suggestions of people look for authors about the tags.
    hide_suggestions(viewer=alice.pk)
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


def test_many_followed_tags_read_only_a_page_of_the_index(alice, record_commands):
    tags = [f"tag{n}" for n in range(100)]
    Post.objects.bulk_create(
        Post(author=alice, text="x", attributes=[{"kind": "hashtag", "value": tags[n % 100]}])
        for n in range(3000)
    )
    with record_commands() as commands:
        _, rows = posts.posts_with_merged(
            ids=[], authors=[], hashtags=tags, id_range=IdRange(), limit=20
        )
    assert len(rows) == 20
    [(_name, command)] = commands
    assert 20 <= examined(plan_of(command)) <= 60
