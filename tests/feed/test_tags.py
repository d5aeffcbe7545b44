"""Hashtags: their pages, followers, and posts found by attribute."""

from itertools import product

import pytest
from django.urls import reverse

from accounts import user_cards
from accounts.infra.refusals import Refused
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors.tags import tags_with_prefix
from feed.services.tags import MAX_FOLLOWED_TAGS, follow_tag, unfollow_tag
from feed.store import attributes, home_states
from feed.store.collections import tags as tag_documents
from feed.store.post_rows import IdRange
from feed.text.renderer import tag_path
from feed.timeline.home import advance_home_position
from tests.actions import edit_post, publish_post
from tests.factories import follow, people, publish

from .post_helpers import write_posts
from .query_plans import plan_of, stages
from .reading_html import send, words


def texts(response):
    return [post.text for post in response.context["page"].posts]


def test_a_hashtag_in_a_post_leads_to_its_page(client, bob):
    publish(bob, "Straight on: #Bücher")
    page = client.get("/public/").content.decode()
    assert f'<a href="{tag_path("bücher")}">#Bücher</a>' in page
    assert texts(client.get(tag_path("bücher"))) == ["Straight on: #Bücher"]


@pytest.mark.parametrize("spelling", ["Cats", "CATS", "\uff23\uff41\uff54\uff53"])
def test_every_spelling_leads_to_one_page(client, bob, spelling):
    publish(bob, f"#{spelling}")
    assert client.get(reverse("tag", args=[spelling]))["Location"] == "/tags/cats/"
    assert texts(client.get("/tags/cats/")) == [f"#{spelling}"]


@pytest.mark.parametrize(
    "path", ["12345", "%23", "a%20b%3Cscript%3E", "%00", "a" * 501, "%E2%80%AE"]
)
def test_an_invalid_hashtag_returns_404(client, path):
    assert client.get(f"/tags/{path}/").status_code == 404


@pytest.mark.parametrize("letter", ["\ufdfa", "\u037a", "a\uff5e"])
def test_a_tag_with_compatibility_characters_has_a_page(client, bob, letter):
    publish(bob, f"#{letter}")
    response = client.get(f"/tags/{letter}/", follow=True)
    assert texts(response) == [f"#{letter}"]


def test_an_unused_tag_shows_a_message(client):
    assert "No posts with this hashtag yet" in words(client.get("/tags/nope/").content.decode())


@pytest.mark.parametrize("visibility", ["unlisted", "followers", "direct"])
def test_only_public_posts_are_listed(client, alice, bob, visibility):
    follow(alice, bob)
    publish(bob, "@alice #secret", visibility)
    client.force_login(alice)
    assert texts(client.get("/tags/secret/")) == []
    assert tags_with_prefix(prefix="secret", viewer=bob.pk) == []


def test_a_page_hides_invisible_and_muted_authors(client, alice, bob, carol):
    private, inactive, stranger = people(3)
    for author in (alice, bob, carol, private, inactive, stranger):
        publish(author, f"#here by {author.username}")
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    block_user(owner=carol.pk, other=alice.pk)
    set_private(uid=private.pk, is_private=True)
    inactive.is_active = False
    inactive.save()
    client.force_login(alice)
    assert texts(client.get("/tags/here/")) == [
        f"#here by {stranger.username}",
        "#here by alice",
    ]


def test_pages_of_a_hashtag_continue_in_both_directions(client, bob, settings):
    settings.FEED_PAGE_SIZE = 3
    posted = [publish(bob, f"#long {n}") for n in range(8)]
    publish(bob, "something else")
    path, seen = "/tags/long/", []
    for _ in range(4):
        response = client.get(path)
        page = response.context["page"]
        seen += [post.id for post in page.posts]
        if page.older_cursor is None:
            break
        assert f'href="?max_id={page.older_cursor}" rel="next"' in response.content.decode()
        path = f"/tags/long/?max_id={page.older_cursor}"
    assert seen == posted[::-1]
    back = client.get(f"/tags/long/?min_id={posted[2]}").context["page"]
    assert [post.id for post in back.posts] == posted[5:2:-1]
    assert (back.older_cursor, back.newer_cursor) == (str(posted[3]), str(posted[5]))


def test_an_edit_moves_a_post_from_one_tag_to_another(client, bob):
    post = publish(bob, "#before")
    edit_post(post_id=post, actor=bob, text="#after")
    assert texts(client.get("/tags/before/")) == []
    assert texts(client.get("/tags/after/")) == ["#after"]
    assert [document["_id"] for document in tag_documents().find()] == ["after"]


def test_all_attributes_use_one_index(alice, bob, record_commands):
    Post.objects.bulk_create(
        Post(author=bob, text="x", attributes=[{"kind": "hashtag", "value": f"other{n}"}])
        for n in range(50)
    )
    post_ids = [
        publish_post(
            author=bob.pk,
            text=f"{n} @alice #cats https://example.org/",
            kind="review",
            details={"title": "Dune", "item": "book", "stars": 4},
        )
        for n in range(5)
    ]
    values = {"hashtag": "cats", "mention": alice.pk, "host": "example.org", "item": "book:dune"}
    for (kind, value), upwards in product(values.items(), [False, True]):
        with record_commands() as commands:
            rows = attributes.posts_about(
                kind=kind,
                value=value,
                id_range=IdRange(post_ids[0], post_ids[4], is_ascending=upwards),
                limit=3,
            )
        assert [row.id for row in rows] == (post_ids[1:4] if upwards else post_ids[3:0:-1]), kind
        ((_, command),) = commands
        plan = plan_of(command)
        used = {stage["stage"]: stage for stage in stages(plan)}
        assert used.keys() == {"LIMIT", "PROJECTION_SIMPLE", "FETCH", "IXSCAN"}, kind
        assert list(used["IXSCAN"]["keyPattern"]) == ["attributes.kind", "attributes.value", "_id"]
        assert plan["executionStats"]["totalKeysExamined"] <= 4, kind


@pytest.mark.parametrize("upwards", [False, True])
def test_several_hashtags_merge_index_scans_without_sorting(alice, bob, record_commands, upwards):
    others = ("dogs", "birds", "mice")
    write_posts((bob, f"#cats #{others[number % 3]}") for number in range(60))
    with record_commands() as commands:
        rows = attributes.posts_about(
            kind="hashtag",
            value=["cats", "dogs", "mice"],
            id_range=IdRange(is_ascending=upwards),
            limit=10,
        )
    assert [row.id for row in rows] == sorted({row.id for row in rows}, reverse=not upwards)
    assert len(rows) == 10
    ((_, command),) = commands
    plan = plan_of(command)
    used = {stage["stage"] for stage in stages(plan)}
    assert "SORT_MERGE" in used
    assert "SORT" not in used
    assert plan["executionStats"]["totalKeysExamined"] <= 25


def test_a_hashtag_page_costs_the_same_for_one_post_and_for_twenty(
    client, alice, bob, record_commands
):
    client.force_login(alice)

    def commands():
        assert client.get("/tags/cats/").status_code == 200
        user_cards.clear_cards()
        with record_commands() as recorded:
            client.get("/tags/cats/")
        return [(name, command[name]) for name, command in recorded]

    publish(bob, "#cats")
    few = commands()
    write_posts((author, "#cats @alice") for author in people(19))
    assert commands() == few
    assert len(few) <= 9


def test_a_user_follows_and_unfollows_a_hashtag(client, alice):
    client.force_login(alice)
    for _ in range(2):
        answer = send(client, client.get("/tags/cats/").content.decode(), "/tags/cats/follow/")
        assert answer["Location"] == "/tags/cats/"
        unfollow_tag(uid=alice.pk, tag="dogs")
        assert home_states.followed_tags(viewer=alice.pk) == ["cats"]
        assert client.post("/tags/CATS/follow/").status_code == 302
        assert home_states.followed_tags(viewer=alice.pk) == ["cats"]
        page = client.get("/explore/tags/").content.decode()
        assert "#cats" in words(page)
        assert send(client, page, "/tags/cats/unfollow/")["Location"] == "/explore/tags/"
        assert home_states.followed_tags(viewer=alice.pk) == []
    assert "You do not follow any hashtags yet." in words(
        client.get("/explore/tags/").content.decode()
    )


def test_following_a_tag_before_the_first_visit_works(client, alice):
    follow_tag(uid=alice.pk, tag="cats")
    before = home_states.home_state(viewer=alice.pk)
    assert (before.position, before.large_authors) == (None, [])
    client.force_login(alice)
    assert client.get("/").status_code == 200
    advance_home_position(viewer=alice.pk, position=5)
    assert home_states.home_state(viewer=alice.pk).position == 5
    assert home_states.followed_tags(viewer=alice.pk) == ["cats"]


def test_the_number_of_followed_hashtags_is_limited(client, alice):
    tags = [f"tag{n}" for n in range(MAX_FOLLOWED_TAGS)]
    for tag in tags:
        follow_tag(uid=alice.pk, tag=tag)
    follow_tag(uid=alice.pk, tag="tag7")
    client.force_login(alice)
    page = client.post("/tags/more/follow/", follow=True).content.decode()
    assert "You can follow up to 200 hashtags" in words(page)
    assert home_states.followed_tags(viewer=alice.pk) == tags


def test_visitors_are_redirected_to_log_in_and_back(client):
    for name in ("follow_tag", "unfollow_tag"):
        answer = client.post(reverse(name, args=["cats"]))
        assert answer["Location"] == "/accounts/login/?next=/tags/cats/"
        assert client.get(reverse(name, args=["cats"])).status_code == 405


def test_invalid_hashtags_cannot_be_followed(client, alice):
    client.force_login(alice)
    assert client.post("/tags/123/follow/").status_code == 404
    with pytest.raises(Refused, match="not a valid hashtag"):
        follow_tag(uid=alice.pk, tag="$where")
    assert home_states.followed_tags(viewer=alice.pk) == []
