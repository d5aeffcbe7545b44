"""Streams of server-sent events: events, permissions, and the end of streams."""

import json
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import requests
from django.conf import settings as configured
from django.db import connection

from accounts.infra.ids import new_id
from accounts.oauth.models import AccessToken
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from feed import tasks as feed_tasks
from feed.models import Post
from feed.selectors.user_lists import owned_list
from feed.services.posts import delete_post
from feed.services.user_lists import add_to_list, create_list
from feed.store.collections import posts
from notifications.services.boxes import clear_all, mark_seen
from notifications.store import dismissals
from notifications.store.changes import PostEdited, PostPublished
from socialsite.api.streaming.app_events import AppEvents
from socialsite.api.streaming.channels import EmptyChannel, HashtagChannel, HomeChannel
from tests.actions import add_comment, edit_post, like_post
from tests.api.api_client import Api, token_of
from tests.browser.site import served_streams
from tests.factories import follow, publish
from tests.notifications.stream_server import running_server, wait_until

pytestmark = pytest.mark.usefixtures("clean_site")


@pytest.fixture(scope="module")
def site():
    """Start a streams process for at most six streams. Return its URL."""
    name = connection.settings_dict["NAME"]
    data_dir: Path = configured.DATA_DIR
    with served_streams(database=name, data_dir=data_dir, LIVE_MAX_STREAMS="6") as streams:
        yield streams.url


class Stream:
    def __init__(self, site, user, path, token_in_url=False, token=None, **query):
        self.token = token or token_of(user)
        headers = {"Accept": "text/event-stream"}
        if token_in_url:
            query["access_token"] = self.token
        else:
            headers["Authorization"] = f"Bearer {self.token}"
        self.response = requests.get(
            f"{site}/api/v1/streaming/{path}",
            params=query,
            headers=headers,
            stream=True,
            timeout=40,
        )
        self.lines = self.response.iter_lines(chunk_size=1, decode_unicode=True)

    def close(self):
        self.response.close()

    def next_event(self):
        """Return the next event as (name, data). Fail after two heartbeats without an event."""
        heartbeats = 0
        for line in self.lines:
            heartbeats += line == ":thump"
            assert heartbeats < 2, "no event"
            if line.startswith("event: "):
                data = next(self.lines).removeprefix("data: ")
                return line.removeprefix("event: "), json.loads(data)
        raise EOFError("The stream has ended.")


@contextmanager
def opened(site, user, path="user", **options):
    with closing(Stream(site, user, path, **options)) as stream:
        assert stream.response.status_code == 200, stream.response.text
        assert stream.response.headers["Content-Type"] == "text/event-stream"
        assert next(stream.lines) == ":)"
        yield stream


@pytest.mark.slow
def test_the_user_stream_sends_new_edited_and_deleted_posts(site, alice, bob):
    follow(alice, bob)
    before = publish(bob, "Before")
    with opened(site, alice) as stream:
        post = publish(bob, "Good news")
        name, status = stream.next_event()
        assert (name, status["id"], status["content"]) == (
            "update",
            str(post),
            "<p>Good news</p>",
        )
        edit_post(post_id=post, actor=bob, text="Better news")
        name, status = stream.next_event()
        assert (name, status["content"]) == ("status.update", "<p>Better news</p>")
        delete_post(post_id=post, actor=bob)
        assert stream.next_event() == ("delete", post)
        edit_post(post_id=before, actor=bob, text="As before")
        assert stream.next_event()[0] == "status.update"
        delete_post(post_id=before, actor=bob)
        assert stream.next_event() == ("delete", before)


@pytest.mark.slow
def test_the_user_stream_sends_posts_delivered_by_workers_and_merged_posts(
    site, alice, bob, settings, monkeypatch
):
    follow(alice, bob)
    queued_tasks = []
    with monkeypatch.context() as patched:
        settings.FEED_INLINE_AUDIENCE_LIMIT = 0
        patched.setattr(
            feed_tasks, "enqueue", lambda task, **options: queued_tasks.append((task, options))
        )
        with opened(site, alice) as stream:
            settings.FEED_PUSH_LIMIT = 0
            merged = publish(bob, "Merged when it is read")
            assert stream.next_event()[1]["id"] == str(merged)
            # A new stream reads the home timeline once. Publish the next post after that, because the home
            # timeline shows a post even before a worker delivers the post.
            settings.FEED_PUSH_LIMIT = 100_000
            post = publish(bob, "By a worker")
            assert Post.objects.get(pk=post).delivery_state == Post.DeliveryState.PENDING
            own_post = publish(alice, "Mine is there at once")
            assert stream.next_event()[1]["id"] == str(own_post)
            for task, options in queued_tasks:
                options.pop("after", None)
                task(**options)
            assert stream.next_event()[1]["id"] == str(post)


@pytest.mark.slow
def test_notifications_are_sent_if_the_token_has_the_scope(site, alice, bob, carol):
    post = publish(alice)
    narrow_token = token_of(alice, "read:statuses")
    with (
        opened(site, alice) as stream,
        opened(site, alice, "user/notification") as notifications,
        opened(site, alice, token=narrow_token) as posts_only,
    ):
        like_post(post_id=post, actor=bob)
        for listener in (stream, notifications):
            name, result = listener.next_event()
            assert (name, result["type"], result["account"]["username"]) == (
                "notification",
                "favourite",
                "bob",
            )
        (listed,) = Api(alice).get("notifications").json()
        assert listed["id"] == result["id"]
        mark_seen(recipient=alice.pk, ids=[int(result["id"])])
        add_comment(post_id=post, actor=carol, text="Yes")
        name, result = notifications.next_event()
        assert result["status"]["content"] == "<p>Yes</p>"
        publish(alice, "Mine")
        assert posts_only.next_event()[0] == "update"


@pytest.mark.slow
def test_public_streams_respect_visibility_mutes_and_blocks(site, alice, bob, carol):
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    with opened(site, alice, "public") as stream, opened(site, carol, "public/local") as other:
        publish(carol, "From somebody muted")
        assert other.next_event()[1]["content"] == "<p>From somebody muted</p>"
        publish(bob, "For followers", visibility="followers")
        publish(bob, "Unlisted", visibility="unlisted")
        block_user(owner=bob.pk, other=carol.pk)
        publish(bob, "For all")
        assert stream.next_event()[1]["content"] == "<p>For all</p>"
        publish(alice, "The end")
        assert other.next_event()[1]["content"] == "<p>The end</p>"


@pytest.mark.slow
def test_hashtags_and_lists_have_streams(site, alice, bob, carol):
    list_ = create_list(owner=alice, title="Friends")
    result = owned_list(owner=alice.pk, list_id=list_)
    follow(alice, bob)
    add_to_list(owner=alice, user_list=result, uids=[bob.pk])
    with ExitStack() as stack:
        tag = stack.enter_context(opened(site, alice, "hashtag", tag="Cats", token_in_url=True))
        local = stack.enter_context(opened(site, alice, "hashtag/local", tag="#cats"))
        list_stream = stack.enter_context(opened(site, alice, "list", list=list_))
        publish(carol, "No cats")
        cats = publish(carol, "Here are #cats")
        post_of_bob = publish(bob, "Dogs")
        assert tag.next_event()[1]["id"] == local.next_event()[1]["id"] == str(cats)
        assert list_stream.next_event()[1]["id"] == str(post_of_bob)


@pytest.mark.slow
def test_a_stream_ends_if_the_token_is_revoked_or_the_user_is_suspended(site, alice, bob):
    with opened(site, alice) as stream, opened(site, bob) as closed:
        publish(alice)
        stream.next_event()  # wait until the stream is connected
        AccessToken.objects.filter(user=alice).first().delete()
        assert not any(line.startswith("event") for line in stream.lines)
        suspend_user(uid=bob.pk)
        assert not any(line.startswith("event") for line in closed.lines)


@pytest.mark.slow
def test_a_second_stream_replaces_the_first_and_streams_are_limited(site, alice, bob, carol):
    with ExitStack() as stack:
        first = stack.enter_context(opened(site, alice))
        stack.enter_context(opened(site, alice, token=first.token))
        assert not any(first.lines)
        for user in (bob, bob, bob, carol, carol):
            stack.enter_context(opened(site, user))
        full = requests.get(
            f"{site}/api/v1/streaming/user", params={"access_token": token_of(carol)}, timeout=20
        )
        assert (full.status_code, full.headers["Retry-After"]) == (503, "60")
        assert full.json()["error"]
        assert requests.get(f"{site}/api/v1/streaming/health", timeout=20).text == "OK"


@pytest.fixture
def server(monkeypatch):
    with running_server(monkeypatch) as server:
        yield server


def test_a_stream_in_this_process_sends_posts_and_notifications(server, alice, bob, carol):
    follow(alice, bob)
    own_post = publish(alice, "Mine")
    with opened(server.url, alice) as stream:
        post = publish(bob, "Good news")
        name, status = stream.next_event()
        assert (name, status["id"], status["content"]) == ("update", str(post), "<p>Good news</p>")
        publish(carol, "Alice does not follow me")
        edit_post(post_id=post, actor=bob, text="Better news")
        name, status = stream.next_event()
        assert (name, status["content"]) == ("status.update", "<p>Better news</p>")
        # A worker has fetched the card of the link.
        posts().update_one(
            {"_id": post}, {"$set": {"link_card": {"url": "https://a.example/", "title": "News"}}}
        )
        name, status = stream.next_event()
        assert (name, status["card"]["title"]) == ("status.update", "News")
        delete_post(post_id=post, actor=bob)
        assert stream.next_event() == ("delete", post)
        like_post(post_id=own_post, actor=carol)
        name, notification = stream.next_event()
        assert (name, notification["type"]) == ("notification", "favourite")
    wait_until(lambda: len(server.hub) == 0)


def test_the_direct_stream_sends_conversations_with_new_messages(server, alice, bob, carol):
    with opened(server.url, alice, "direct") as stream:
        publish(bob, "@carol not for alice", "direct")
        publish(bob, "@alice for everybody")
        post = publish(bob, "@alice psst", "direct")
        name, conversation = stream.next_event()
        assert (name, conversation["id"], conversation["unread"]) == (
            "conversation",
            str(post),
            True,
        )
        comment = add_comment(post_id=post, actor=alice, text="yes?")
        name, conversation = stream.next_event()
        assert (name, conversation["last_status"]["id"]) == ("conversation", str(comment))
        assert conversation["unread"] is False
    wait_until(lambda: len(server.hub) == 0)


def test_a_new_follow_and_a_changed_list_take_effect_at_once(server, alice, bob):
    list_ = create_list(owner=alice, title="Friends")
    with (
        opened(server.url, alice) as home,
        opened(server.url, alice, "list", list=list_) as friends,
        opened(server.url, alice, "user/notification") as notifications,
    ):
        follow(bob, alice)
        assert notifications.next_event()[1]["type"] == "follow"  # the streams have begun
        follow(alice, bob)
        result = owned_list(owner=alice.pk, list_id=list_)
        add_to_list(owner=alice, user_list=result, uids=[bob.pk])
        post = publish(bob, "Hello")
        assert home.next_event()[0] == "notification"
        assert home.next_event()[1]["id"] == str(post)
        assert friends.next_event()[1]["id"] == str(post)


def test_hashtag_streams_are_not_read_again_after_a_follow(server, alice, bob, monkeypatch):
    reads, posts_since = [], HashtagChannel.posts_since

    def count_reads(channel, id):
        reads.append(id)
        return posts_since(channel, id)

    monkeypatch.setattr(HashtagChannel, "posts_since", count_reads)
    with (
        opened(server.url, alice, "hashtag", tag="cats") as cats,
        opened(server.url, alice) as home,
    ):
        wait_until(lambda: len(reads) == 1)
        follow(alice, bob)
        post = publish(bob, "#cats")
        assert home.next_event()[1]["id"] == cats.next_event()[1]["id"] == str(post)
    assert len(reads) == 1


def test_a_hashtag_stream_sends_a_post_whose_edit_adds_the_hashtag(server, alice, bob):
    with opened(server.url, alice, "public") as public:
        post = publish(bob, "Meow")
        assert public.next_event()[1]["id"] == str(post)
    with opened(server.url, alice, "hashtag", tag="cats") as cats:
        edit_post(post_id=post, actor=bob, text="Meow #cats")
        assert cats.next_event()[1]["id"] == str(post)


def test_restored_notifications_are_not_sent_again(alice, bob, carol):
    events = AppEvents(
        stream=None, channel=EmptyChannel(viewer=alice.pk), since=new_id(), with_notifications=True
    )

    def senders():
        return [json.loads(event.data)["account"]["id"] for event in events._notifications()]

    post = publish(alice)
    like_post(post_id=post, actor=bob)
    assert senders() == [str(bob.pk)]
    clear_all(recipient=alice.pk)
    assert senders() == []
    assert dismissals.restore(recipient=alice.pk)
    assert senders() == []
    like_post(post_id=post, actor=carol)
    assert senders() == [str(carol.pk)]


def test_a_post_that_is_edited_before_it_was_sent_is_new(alice, bob):
    follow(alice, bob)
    channel = HomeChannel(viewer=alice.pk)
    events = AppEvents(stream=None, channel=channel, since=new_id(), with_notifications=False)

    def names(*changes):
        return [event.name for event in events._posts(changes)]

    first, second, third = publish(bob, "1"), publish(bob, "2"), publish(bob, "3")
    assert names(PostPublished(third, bob.pk)) == ["update"]
    assert names(PostEdited(first, bob.pk)) == ["update"]
    assert names(PostPublished(first, bob.pk)) == []
    assert names(PostEdited(second, bob.pk), PostPublished(second, bob.pk)) == ["update"]
    assert names(PostEdited(second, bob.pk)) == ["status.update"]


def test_a_revoked_token_opens_no_stream_although_it_was_used_a_moment_ago(server, alice):
    token = token_of(alice)
    with opened(server.url, alice, token=token):
        pass
    AccessToken.objects.filter(user=alice).first().delete()
    refused = requests.get(
        f"{server.url}/api/v1/streaming/user", params={"access_token": token}, timeout=20
    )
    assert refused.status_code == 401


def test_scripts_of_any_site_may_read_streams_of_apps(server, alice):
    headers = {"Origin": "https://app.example"}
    url = f"{server.url}/api/v1/streaming/user"
    preflight = requests.options(
        url,
        headers={
            **headers,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization",
        },
        timeout=20,
    )
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert "authorization" in preflight.headers["Access-Control-Allow-Headers"]
    with requests.get(
        url, params={"access_token": token_of(alice)}, headers=headers, stream=True, timeout=20
    ) as response:
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in response.headers
    plain = requests.get(
        f"{server.url}/api/v1/streaming?access_token={token_of(alice)}", timeout=20
    )
    assert plain.status_code == 426
    wait_until(lambda: len(server.hub) == 0)


@pytest.mark.urls("socialsite.streaming_urls")
@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("streaming/elsewhere", {}, 404),
        ("streaming/hashtag", {}, 422),
        ("streaming/list", {"list": "x"}, 422),
        ("streaming/list", {"list": "1"}, 404),
        ("streaming/list", {"list": "9" * 19}, 404),
    ],
)
def test_invalid_streams_are_rejected(alice, path, query, status):
    response = Api(alice).get(path, **query)
    assert response.status_code == status
    assert response.json()["error"]


@pytest.mark.urls("socialsite.streaming_urls")
def test_streams_require_the_matching_scope(alice):
    for path in ("user", "public", "list", "hashtag", "direct"):
        assert Api(alice, "write read:accounts").get(f"streaming/{path}").status_code == 403
        assert Api().get(f"streaming/{path}").status_code == 401
        assert Api().get(f"streaming/{path}", access_token="x").status_code == 401
    assert Api(alice, "read:statuses").get("streaming/user/notification").status_code == 403
    assert Api(alice).get("notifications", access_token="x").status_code == 200
    response = Api().get("notifications", access_token=token_of(alice))
    assert response.status_code == 401, "only streams accept a token in the URL"
