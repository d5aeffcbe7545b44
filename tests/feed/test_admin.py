"""Posts and deliveries in the admin."""

import pytest
from django.contrib.admin.models import LogEntry

from accounts import user_cards
from feed import signals
from feed.admin import PostAdmin
from feed.models import Post
from tests.accounts.test_admin import as_moderator, joins_and_counts
from tests.actions import share_post
from tests.factories import follow, people, publish, publish_many
from tests.uploads import picture

from .picture_uploads import publish_pictures

POSTS = "/admin/feed/post/"
PAGES = ("change", "delete")


@pytest.fixture
def as_admin(client, admin_user):
    client.force_login(admin_user)
    return client


@pytest.fixture
def deleted():
    """Collect the ids of posts for which the signal ``post_deleted`` is sent."""
    post_ids = []

    def record(post, **_):
        post_ids.append(post)

    signals.post_deleted.connect(record)
    yield post_ids
    signals.post_deleted.disconnect(record)


def listed_texts(response):
    return [post.text for post in response.context["cl"].result_list]


QUERIES = ("", "?p=2", "?q=@alice", "?q=writes", "?q=@nobody", "?q=12345", "?_facets=True", "?all=")


def assert_cheap(client, path, record_commands, *, max_commands):
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get(path)
    assert response.status_code == 200, path
    assert joins_and_counts(commands) == [], path
    assert len(commands) <= max_commands, path


def test_posts_are_listed_and_searched_without_a_join_or_a_count(
    as_admin, alice, bob, record_commands, monkeypatch
):
    monkeypatch.setattr(PostAdmin, "list_per_page", 12)
    for author in (alice, bob):
        publish_many(author, 10)
    for query in QUERIES:
        assert_cheap(as_admin, POSTS + query, record_commands, max_commands=9)


def test_a_list_costs_the_same_for_one_author_and_for_many(as_admin, record_commands):
    costs = []
    for count in (1, 20):
        authors = people(count, prefix=f"n{count}x")
        Post.objects.bulk_create(Post(author=author, text="Hello") for author in authors)
        user_cards.clear_cards()
        with record_commands() as commands:
            as_admin.get(POSTS)
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_posts_are_found_by_author_id_and_text(as_admin, alice, bob):
    number = publish(alice, "a.b and C*")
    publish(bob, "axb")
    searches = {
        "": ["axb", "a.b and C*"],
        "@ALICE": ["a.b and C*"],
        "@al": [],
        str(number): ["a.b and C*"],
        "a.b": ["a.b and C*"],
        "c*": ["a.b and C*"],
        ".*": [],
        "99999999999999999999": [],
        "9223372036854775808": [],
        "٣": [],
        "@": [],
        "(": [],
        "x" * 600: [],
    }
    assert {
        words: listed_texts(as_admin.get(POSTS, {"q": words})) for words in searches
    } == searches


def test_a_search_with_a_nul_character_succeeds(as_admin):
    assert as_admin.get(POSTS + "?q=%00").status_code == 200


def test_deleting_a_post_uses_the_service_and_is_logged(
    as_admin, alice, bob, deleted, record_commands
):
    follow(bob, alice)
    post = publish(alice, "nasty")
    path = f"{POSTS}{post}/delete/"
    with record_commands() as commands:
        assert b"nasty" in as_admin.get(path).content
        assert as_admin.post(path, {"post": "yes"}).status_code == 302
    assert joins_and_counts(commands) == []
    assert deleted == [post]
    assert as_admin.get(f"/@alice/{post}/").status_code == 404
    assert LogEntry.objects.get().object_id == str(post)
    assert b"nasty" in as_admin.get("/admin/").content


def test_shares_and_posts_with_pictures_can_be_deleted(as_admin, alice, bob, deleted):
    """Their deletion is a transaction, inside of the transaction that Django's admin begins."""
    post = publish(alice)
    share = share_post(post_id=post, actor=bob)
    with_picture = publish_pictures(alice, picture()).pk
    for deleted_post in (share, with_picture):
        path = f"{POSTS}{deleted_post}/delete/"
        assert as_admin.post(path, {"post": "yes"}).status_code == 302
    assert deleted == [share, with_picture]
    assert list(Post.objects.values_list("pk", "shares")) == [(post, 0)]


def test_deleting_many_posts_uses_the_service(as_admin, alice, deleted, record_commands):
    keep, *posts = publish_many(alice, 20)
    data = {"action": "delete_selected", "_selected_action": posts[:15]}
    with record_commands() as commands:
        assert b"Are you sure" in as_admin.post(POSTS, data).content
        assert len(deleted) == 0
        as_admin.post(POSTS, {**data, "post": "yes"})
    assert joins_and_counts(commands) == []
    assert sorted(deleted) == sorted(posts[:15])
    assert Post.objects.filter(pk=keep).exists()


def test_posts_cannot_be_added_or_edited(as_admin, alice):
    post = publish(alice, "mine")
    assert as_admin.get(f"{POSTS}add/").status_code == 403
    path = f"{POSTS}{post}/change/"
    assert b"mine" in as_admin.get(path).content
    assert as_admin.post(path, {"text": "yours"}).status_code == 403
    assert Post.objects.get().text == "mine"
    assert as_admin.get(f"{POSTS}{post}/history/").status_code == 200


def test_the_permission_to_delete_posts_allows_only_that(client, alice, bob, deleted):
    as_moderator(client, alice, "delete_post")
    first, second = publish_many(bob, 2)
    assert len(listed_texts(client.get(POSTS))) == 2
    assert client.get(f"{POSTS}{first}/change/").status_code == 200
    assert client.post(f"{POSTS}{first}/delete/", {"post": "yes"}).status_code == 302
    data = {"action": "delete_selected", "_selected_action": [second], "post": "yes"}
    assert client.post(POSTS, data).status_code == 302
    assert deleted == [first, second]
    assert client.get("/admin/accounts/user/").status_code == 403


def test_the_permission_to_view_posts_does_not_allow_deletion(client, alice, bob, deleted):
    as_moderator(client, alice, "view_post")
    post = publish(bob)
    assert client.get(POSTS).status_code == 200
    assert client.post(f"{POSTS}{post}/delete/", {"post": "yes"}).status_code == 403
    data = {"action": "delete_selected", "_selected_action": [post], "post": "yes"}
    client.post(POSTS, data)
    assert deleted == []


def test_a_post_of_a_deactivated_user_can_be_deleted(as_admin, bob, deleted):
    post = publish(bob, "left behind")
    bob.is_active = False
    bob.save()
    assert listed_texts(as_admin.get(POSTS)) == ["left behind"]
    assert as_admin.get(f"{POSTS}{post}/change/").status_code == 200
    as_admin.post(f"{POSTS}{post}/delete/", {"post": "yes"})
    assert deleted == [post]


def test_posts_with_unusual_texts_are_listed_and_shown(as_admin, alice):
    texts = ("<script>alert(1)</script>", "x" * 500, "\u202eabc", "a\nb")
    posts = [publish(alice, text) for text in texts]
    for path in (POSTS, *(f"{POSTS}{post}/{page}/" for post in posts for page in PAGES)):
        response = as_admin.get(path)
        assert response.status_code == 200, path
        assert b"<script>alert" not in response.content


DELIVERIES = "/admin/feed/delivery/"


def make_deliveries(author):
    """Create a finished, a pending and a failed delivery. Return the ids of the posts."""
    done, pending, failed = publish_many(author, 3)
    parts = [{"next": 3, "end": 3, "reached": 12_400}, {"next": 4, "end": 9, "reached": 0}]
    Post.objects.filter(pk__in=[pending, failed]).update(
        delivery_audience_size=31_000, delivery_parts=parts, delivery_state="pending"
    )
    Post.objects.filter(pk=failed).update(
        delivery_state="failed", delivery_attempts=8, delivery_error="RuntimeError: <b>full</b>"
    )
    return done, pending, failed


def listed_ids(response):
    return [post.pk for post in response.context["cl"].result_list]


def test_deliveries_are_listed_without_a_join_or_a_count(as_admin, alice, record_commands):
    make_deliveries(alice)
    for query in ("", "?state=pending", "?state=failed", "?state=all", "?p=2"):
        assert_cheap(as_admin, DELIVERIES + query, record_commands, max_commands=11)


def test_unfinished_deliveries_are_listed_by_default(as_admin, alice):
    done, pending, failed = make_deliveries(alice)
    expected = {
        "": [failed, pending],
        "pending": [pending],
        "failed": [failed],
        "all": [failed, pending, done],
    }
    assert {
        state: listed_ids(as_admin.get(DELIVERIES, {"state": state} if state else {}))
        for state in expected
    } == expected
    assert as_admin.get(DELIVERIES, {"state": "nonsense"}).status_code in (200, 302)


def test_a_delivery_shows_its_progress_and_error(as_admin, alice):
    *_, failed = make_deliveries(alice)
    for path in (DELIVERIES, f"{DELIVERIES}{failed}/change/"):
        content = as_admin.get(path).content.decode()
        assert "12,400 of 31,000" in content
        assert "RuntimeError: &lt;b&gt;full" in content


def test_failed_deliveries_can_be_retried_by_button_and_action(as_admin, alice, asked):
    done, pending, failed = make_deliveries(alice)
    path = f"{DELIVERIES}{failed}/change/"
    assert b"_try_again" in as_admin.get(path).content
    assert b"_try_again" not in as_admin.get(f"{DELIVERIES}{done}/change/").content
    assert as_admin.post(path, {"_try_again": "yes"}).status_code == 302
    post = Post.objects.get(pk=failed)
    assert (post.delivery_state, post.delivery_attempts, post.delivery_error) == ("pending", 0, "")
    assert [arguments["post_id"] for _, arguments in asked] == [failed]
    assert LogEntry.objects.get().object_id == str(failed)
    Post.objects.filter(pk=failed).update(delivery_state="failed")
    asked.clear()
    data = {"action": "retry", "_selected_action": [done, pending, failed]}
    response = as_admin.post(DELIVERIES + "?state=all", data, follow=True)
    assert b"2 deliveries will be retried" in response.content
    assert {arguments["post_id"] for _, arguments in asked} == {pending, failed}
    assert Post.objects.get(pk=failed).text == "alice writes 2"
    assert Post.objects.get(pk=done).delivery_state == "done"


@pytest.mark.parametrize(
    ("permission", "list_status", "can_retry"),
    [("delete_post", 200, True), ("change_post", 200, True), ("view_post", 200, False)],
)
def test_only_users_who_may_change_or_delete_posts_can_retry_deliveries(
    client, alice, bob, asked, permission, list_status, can_retry
):
    *_, failed = make_deliveries(bob)
    as_moderator(client, alice, permission)
    assert client.get(DELIVERIES).status_code == list_status
    path = f"{DELIVERIES}{failed}/change/"
    assert (b"_try_again" in client.get(path).content) == can_retry
    client.post(path, {"_try_again": "yes"})
    data = {"action": "retry", "_selected_action": [failed]}
    client.post(DELIVERIES, data)
    assert (Post.objects.get(pk=failed).delivery_state == "pending") == can_retry


def test_deliveries_need_a_permission_on_posts(client, alice, bob):
    *_, failed = make_deliveries(bob)
    as_moderator(client, alice, "view_user")
    assert client.get(DELIVERIES).status_code == 403
    assert client.get(f"{DELIVERIES}{failed}/change/").status_code == 403
    assert client.get(f"{DELIVERIES}{failed}/delete/").status_code == 403
    assert client.get(f"{DELIVERIES}add/").status_code == 403


def test_a_share_is_listed_with_the_shared_post(as_admin, alice, bob):
    from tests.actions import share_post

    post = publish(alice)
    share_post(post_id=post, actor=bob)
    assert f"Shares post {post}".encode() in as_admin.get(POSTS).content
