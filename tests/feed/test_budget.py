"""The number of database commands of each page, over HTTP."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from accounts import user_cards
from accounts.selectors import access_tokens
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.store.collections import inbox_heads, merged_posts
from feed.timeline import strategies
from feed.timeline.store import inboxes
from feed.timeline.strategies import buckets
from tests.actions import add_comment
from tests.api.api_client import Api
from tests.factories import (
    add_conversation,
    follow,
    follow_in_bulk,
    follow_many,
    people,
    publish,
    publish_many,
)
from tests.feed.quote_helpers import quote

SESSION_AND_USER = 2
BADGE = "find notification_boxes"
"""The command that counts notifications for the header of every page."""


def page_commands(commands):
    """Return the commands without those for the session, the user and the notification badge."""
    assert commands.count(BADGE) == 1
    return [command for command in commands[SESSION_AND_USER:] if command != BADGE]


@pytest.fixture
def commands_of(client, record_commands):
    def ask(path, user=None, *, warm_up=True):
        if user is not None:
            client.force_login(user)
        if warm_up:
            assert client.get(path).status_code == 200
        user_cards.clear_cards()
        with record_commands() as commands:
            response = client.get(path)
        assert response.status_code == 200
        return [f"{name} {asked.get(name)}" for name, asked in commands], response

    return ask


FIRST_PAGE, DEEP_PAGE = 6, 7


def write(author, count, **fields):
    """Insert posts of an author with one command, without delivering them. Return the ids."""
    posts = Post.objects.bulk_create(
        Post(
            author=author,
            text=f"writes {n}",
            **{"delivery_state": Post.DeliveryState.DONE, **fields},
        )
        for n in range(count)
    )
    return [post.pk for post in posts]


def receive(reader, posts):
    """Append these posts to the reader's inbox, and seal its head after every 50 posts."""
    gen = inboxes.lifecycle.get_head(owner=reader.pk).gen
    for start in range(0, len(posts), 50):
        inboxes.append_missing(owner=reader.pk, gen=gen, ids=posts[start : start + 50], floor=0)
        buckets.seal(owners=[reader.pk])


SITES = [(10, 10), (200, 10)]
"""Pairs: the number of users that alice follows, and the page size."""


def read(commands_of, alice, paths, size):
    costs = {}
    for name, path in paths.items():
        commands, response = commands_of(path, alice)
        assert len(response.context["page"].posts) == size, name
        assert not any(command.startswith("getMore") for command in commands)
        costs[name] = page_commands(commands)
    return costs


@pytest.mark.parametrize(("followed", "size"), SITES)
def test_home_costs_the_same_for_any_number_of_followees(
    alice, commands_of, settings, followed, size
):
    settings.FEED_PAGE_SIZE = size
    settings.FEED_INBOX_MAX = 200
    authors = people(followed)
    follow_in_bulk(alice, authors)
    commands_of("/", alice)
    posts = [post for author in authors[:5] for post in write(author, 60)]
    receive(alice, posts)
    floor = inboxes.lifecycle.get_head(owner=alice.pk).floor
    assert posts[0] < floor < posts[-1]
    _, second_above_floor = [post for post in posts if post > floor][:2]
    costs = read(
        commands_of,
        alice,
        {
            "first": "/",
            "deep": f"/?max_id={posts[-70]}",
            "at the floor": f"/?max_id={second_above_floor}",
            "past the inbox": f"/?max_id={posts[50]}",
            "upwards": f"/?min_id={posts[-70]}",
        },
        size,
    )
    assert {name: len(commands) for name, commands in costs.items()} == {
        "first": 4,
        "deep": 5,
        "at the floor": 6,
        "past the inbox": 5,
        "upwards": 5,
    }, costs


@pytest.mark.parametrize(("followed", "size"), SITES)
def test_a_home_with_everything_stays_within_its_budget(
    alice, bob, carol, commands_of, settings, followed, size
):
    """The home includes shares, large authors, mutes, blocks and a private author."""
    settings.FEED_PAGE_SIZE = size
    settings.FEED_INBOX_MAX = 200
    authors = people(followed)
    follow_in_bulk(alice, authors)
    follow(alice, bob)
    commands_of("/", alice, warm_up=False)
    settings.FEED_PUSH_LIMIT = 0
    merged = [publish(bob), *write(bob, 59, is_pushed=False)]
    merged_posts().insert_many({"author": bob.pk, "post": post} for post in merged[1:])
    settings.FEED_PUSH_LIMIT = 1000
    posts = [post for author in authors[:4] for post in write(author, 60)]
    shared = write(carol, 12)
    shares = Post.objects.bulk_create(
        Post(author=sharer, kind="share", share_of=post, delivery_state=Post.DeliveryState.DONE)
        for post in shared
        for sharer in authors[:2]
    )
    receive(alice, posts + [share.pk for share in shares])
    mute_user(owner=alice.pk, other=authors[6].pk, until=None)
    block_user(owner=authors[7].pk, other=alice.pk)
    set_private(uid=authors[0].pk, is_private=True)
    long_ago = timezone.now() - timedelta(hours=2)
    inbox_heads().update_one({"_id": alice.pk}, {"$set": {"last_seen": long_ago}})
    floor = inboxes.lifecycle.get_head(owner=alice.pk).floor
    assert merged[0] < floor
    costs = read(
        commands_of,
        alice,
        {
            "first": "/",
            "deep": f"/?max_id={posts[-30]}",
            "across the floor": f"/?max_id={next(post for post in posts if post > floor)}",
            "past the inbox": f"/?max_id={posts[45]}",
            "upwards": f"/?min_id={posts[-50]}",
        },
        size,
    )
    assert len(costs["first"]) <= FIRST_PAGE, costs
    assert max(map(len, costs.values())) <= DEEP_PAGE, costs


def test_a_full_inbox_of_the_default_size_stays_within_its_budget(alice, commands_of, client):
    """All entries are unread and from many authors, so that a page examines many entries."""
    authors = people(300)
    follow_in_bulk(alice, authors)
    commands_of("/", alice)
    posts = Post.objects.bulk_create(
        Post(author=authors[n % 300], text="x", delivery_state=Post.DeliveryState.DONE)
        for n in range(1200)
    )
    inbox_heads().delete_many({})
    commands_of("/", alice)
    assert len(inboxes.lifecycle.get_head(owner=alice.pk).buckets) > 10
    for path in ("/", f"/?max_id={posts[-100].pk}", f"/?min_id={posts[-500].pk}"):
        two_hours_ago = timezone.now() - timedelta(hours=2)
        inbox_heads().update_one({"_id": alice.pk}, {"$set": {"last_seen": two_hours_ago}})
        user_cards.clear_cards()
        commands, response = commands_of(path, alice, warm_up=False)
        assert len(response.context["page"].posts) == 20
        assert not any(command.startswith("getMore") for command in commands)
        assert len(page_commands(commands)) <= FIRST_PAGE, path
    assert response.context["page"].unread_count is None


@pytest.mark.parametrize(
    "paths", [("/public/", "/@bob/"), ("/@bob/followers/", "/explore/people/")]
)
def test_other_lists_cost_the_same_for_one_row_and_for_twenty(alice, bob, commands_of, paths):
    follow(alice, bob)
    publish_many(bob, 1)
    few = {path: commands_of(path, alice)[0] for path in paths}
    fans = people(19)
    follow_many(fans, bob)
    for fan in fans:
        write(fan, 1)
    publish_many(bob, 19)
    many = {path: commands_of(path, alice)[0] for path in paths}
    assert few == many
    assert max(len(page_commands(commands)) for commands in many.values()) <= 8


def test_a_page_of_a_post_costs_four_commands(commands_of, alice, bob, carol):
    (dave,) = people(1)
    follow(alice, bob)
    quiet, discussed = publish_many(bob, 2)
    add_conversation(discussed, comments=[(carol, "First"), (dave, "Second"), (alice, "Third")])
    limited = publish(bob)
    for text in ("@alice psst", "@alice and more"):
        add_comment(post_id=limited, actor=carol, text=text, visibility="direct")
    (private, _) = commands_of(f"/@bob/{limited}/", alice)
    assert len(page_commands(private)) <= 4, "\n".join(private)
    (few, _), (many, _) = [commands_of(f"/@bob/{post}/", alice) for post in (quiet, discussed)]
    assert len(page_commands(few)) <= len(page_commands(many)) <= 4, "\n".join(many)


def test_a_quote_on_the_page_of_a_post_costs_at_most_one_more_command(
    commands_of, alice, bob, carol
):
    follow(alice, bob)
    (dave,) = people(1)
    pages = [publish(bob), quote(publish(carol), bob), quote(publish(dave), bob)]
    block_user(owner=dave.pk, other=alice.pk)
    plain, shown, hidden = [commands_of(f"/@bob/{post}/", alice)[0] for post in pages]
    assert len(page_commands(plain)) <= 4
    for commands in (shown, hidden):
        assert len(page_commands(commands)) <= 5, "\n".join(commands)


def test_an_anonymous_page_does_not_load_a_session(commands_of, bob):
    publish_many(bob, 3)
    commands, _ = commands_of("/")
    assert [command.split()[0] for command in commands] == ["find", "aggregate", "find"]


PROFILE_COMMANDS = {"": 8, "comments/": 12, "pictures/": 8, "reviews/": 8}
"""The largest number of commands of each tab of a profile."""


@pytest.mark.parametrize("tab", PROFILE_COMMANDS)
def test_a_tab_of_a_profile_costs_the_same_for_any_number_of_posts(
    alice, bob, carol, commands_of, tab
):
    follow(alice, bob)
    media = [{"id": 1, "name": "0" * 32, "alt": "", "width": 2, "height": 2}]
    details = {"item": "book", "title": "Dune", "stars": 4}
    costs = []
    for count in (2, 6):
        write(bob, count, media=media)
        write(bob, count, kind="review", details=details)
        for author in (alice, carol):
            for post in publish_many(author, count):
                add_conversation(post, comments=[(bob, "One"), (author, "Two"), (bob, "Three")])
        commands, response = commands_of(f"/@bob/{tab}", alice)
        page = response.context["page"]
        assert len(page.contents if tab == "comments/" else page.posts) >= count
        costs.append(page_commands(commands))
    assert len(costs[0]) == len(costs[1]) <= PROFILE_COMMANDS[tab], "\n".join(costs[1])


def test_no_page_needs_a_join(alice, bob, client, record_commands):
    follow(alice, bob)
    (post,) = publish_many(bob, 1)
    client.force_login(alice)
    paths = ["/", "/public/", "/explore/people/", "/@bob/", f"/@bob/{post}/"]
    paths += ["/@bob/followers/", "/@alice/following/"]
    with record_commands() as commands:
        for path in paths:
            assert client.get(path).status_code == 200
    assert not [command for _, command in commands if "$lookup" in str(command.get("pipeline", ""))]


def test_the_documents_state_the_budget():
    first, deep = ({6: "six", 7: "seven"}[number] for number in (FIRST_PAGE, DEEP_PAGE))
    decisions = "docs/decisions/"
    statements = {
        "README.md": f"the first page of home at most {first} commands, a deeper one at most {deep}",
        f"{decisions}0008-visibility-is-checked-on-read.md": (
            f"the first page of home may cost {first} commands, a deeper one {deep}"
        ),
        f"{decisions}0012-newest-likers-and-comments-in-the-post.md": (
            f"the first page of home may cost {first} commands"
        ),
    }
    for path, statement in statements.items():
        assert statement in " ".join(Path(settings.BASE_DIR, path).read_text().split()), path


@pytest.fixture
def commands_of_action(alice, bob, record_commands):
    """Return a function that sends a POST request as alice and returns the database commands.

    The commands for the session and the user are left out.
    """

    def send(client, path, data, *, status):
        client.force_login(alice)
        user_cards.clear_cards()
        with record_commands() as commands:
            response = client.post(path, data)
        assert response.status_code == status, response.content
        return [f"{name} {command.get(name)}" for name, command in commands][SESSION_AND_USER:]

    return send


@pytest.mark.parametrize("is_first", [True, False])
def test_a_like_costs_at_most_ten_commands(alice, bob, carol, client, commands_of_action, is_first):
    follow(alice, bob)
    (post,) = publish_many(bob, 1)
    if not is_first:
        add_conversation(post, likers=[carol])
    commands = commands_of_action(client, f"/posts/{post}/like/", {}, status=302)
    assert len(commands) <= 10, "\n".join(commands)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("visibility", "most"), [("", 12), ("direct", 14), ("followers", 15)])
def test_a_comment_costs_at_most_twelve_commands(
    alice, bob, carol, client, commands_of_action, is_first, visibility, most
):
    follow(alice, bob)
    (post,) = publish_many(bob, 1)
    if not is_first:
        add_conversation(post, comments=[(carol, "First")])
    fields = {"text": "A comment", "parent": 0, "idempotency_key": "once"}
    if visibility:
        fields |= {"text": "@carol psst", "visibility": visibility}
    commands = commands_of_action(client, f"/posts/{post}/comments/", fields, status=302)
    assert len(commands) <= most, "\n".join(commands)


@pytest.mark.parametrize("followers", [0, 5])
def test_publishing_costs_at_most_twelve_commands(
    alice, bob, client, commands_of_action, followers
):
    follow_many(people(followers), alice)
    commands = commands_of_action(
        client, "/posts/", {"text": "Good morning", "idempotency_key": "once"}, status=302
    )
    assert len(commands) <= 12, "\n".join(commands)


def test_a_post_to_ten_followers_costs_the_same_commands_as_a_post_to_none(
    alice, bob, record_commands
):
    """One command writes to the inboxes of the author and of all followers."""
    fans = people(10)
    follow_many(fans, bob)
    for reader in (alice, bob, *fans):
        strategies.active_strategy().read_inbox(owner=reader.pk)
    commands = {}
    for author in (alice, bob):
        publish(author)  # fill the caches of the process
        with record_commands() as recorded:
            post_id = publish(author)
        commands[author] = [f"{name} {asked.get(name)}" for name, asked in recorded]
    to_none, to_ten = commands[alice], commands[bob]
    assert to_ten == to_none, (to_none, to_ten)
    assert to_ten.count("update inbox_heads") == 1
    assert all(post_id in inboxes.lifecycle.get_head(owner=fan.pk).ids for fan in fans)


def test_the_home_of_an_app_costs_six_commands(alice, bob, carol, record_commands):
    """The numbers of posts and followers are in the shared cache for a while, and not counted here."""
    follow(alice, bob)
    follow(alice, carol)
    api = Api(alice)
    publish_many(bob, 10)
    publish(carol, "Hello @bob and @bob.Great #tag")
    publish(alice)
    assert len(api.get("timelines/home").json()) == 12
    user_cards.clear_cards()
    access_tokens.clear_cache()
    with record_commands() as cold:
        api.get("timelines/home")
    with record_commands() as warm:
        api.get("timelines/home")
    names = [f"{name} {asked[name]}" for name, asked in cold]
    assert names == [
        "aggregate accounts_accesstoken",
        "findAndModify action_counts",
        "aggregate home_states",
        "find feed_post",
        "aggregate follow_edges",
        "find accounts_user",
    ]
    assert len(warm) == 4
