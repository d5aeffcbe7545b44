"""Streams of a real server: what comes, to whom, and when they end."""

import json
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import requests
from django.conf import settings as configured
from django.db import connection

from accounts.oauth.models import AccessToken
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from feed import tasks as feed_tasks
from feed.models import Post
from feed.selectors.user_lists import owned_list
from feed.services.posts import delete_post, edit_post
from feed.services.user_lists import add_to_list, create_list
from notifications.api.streaming import app_events
from notifications.live import hub as hubs
from notifications.services.boxes import mark_seen
from notifications.store import changes
from tests.actions import add_comment, like_post
from tests.api.api_client import Api, token_of
from tests.browser.site import served_site
from tests.factories import follow, publish

pytestmark = pytest.mark.usefixtures("clean_site")


@pytest.fixture(scope="module")
def site():
    """Its address, and room for six streams."""
    name = connection.settings_dict["NAME"]
    data_dir: Path = configured.DATA_DIR
    with served_site(database=name, data_dir=data_dir, LIVE_MAX_STREAMS="6", threads=12) as address:
        yield address


class Stream:
    def __init__(self, site, user, path, in_address=False, token=None, **query):
        self.token = token or token_of(user)
        headers = {"Accept": "text/event-stream"}
        if in_address:
            query["access_token"] = self.token
        else:
            headers["Authorization"] = f"Bearer {self.token}"
        self.answer = requests.get(
            f"{site}/api/v1/streaming/{path}",
            params=query,
            headers=headers,
            stream=True,
            timeout=40,
        )
        self.lines = self.answer.iter_lines(chunk_size=1, decode_unicode=True)

    def close(self):
        self.answer.close()

    def hear(self):
        """The next event: (name, data). Two heartbeats without one are too long."""
        beats = 0
        for line in self.lines:
            beats += line == ":thump"
            assert beats < 2, "nothing comes"
            if line.startswith("event: "):
                data = next(self.lines).removeprefix("data: ")
                return line.removeprefix("event: "), json.loads(data)
        raise EOFError("The stream has ended.")


@contextmanager
def opened(site, user, path="user", **how):
    with closing(Stream(site, user, path, **how)) as stream:
        assert stream.answer.status_code == 200, stream.answer.text
        assert stream.answer.headers["Content-Type"] == "text/event-stream"
        assert next(stream.lines) == ":)"
        yield stream


@pytest.mark.slow
def test_a_post_comes_is_edited_and_goes(site, alice, bob):
    follow(alice, bob)
    before = publish(bob, "Before")
    with opened(site, alice) as stream:
        post = publish(bob, "Good news")
        name, status = stream.hear()
        assert (name, status["id"], status["content"]) == (
            "update",
            str(post),
            "<p>Good news</p>",
        )
        edit_post(post_id=post, actor=bob, text="Better news")
        name, status = stream.hear()
        assert (name, status["content"]) == ("status.update", "<p>Better news</p>")
        delete_post(post_id=post, actor=bob)
        assert stream.hear() == ("delete", post)
        edit_post(post_id=before, actor=bob, text="As before")
        assert stream.hear()[0] == "status.update"
        delete_post(post_id=before, actor=bob)
        assert stream.hear() == ("delete", before)


@pytest.mark.slow
def test_posts_that_workers_bring_and_those_that_are_merged_come_too(
    site, alice, bob, settings, monkeypatch
):
    follow(alice, bob)
    todo = []
    with monkeypatch.context() as later:
        settings.FEED_INLINE_AUDIENCE_LIMIT = 0
        later.setattr(feed_tasks, "enqueue", lambda task, **how: todo.append((task, how)))
        with opened(site, alice) as stream:
            settings.FEED_PUSH_LIMIT = 0
            merged = publish(bob, "Merged when it is read")
            assert stream.hear()[1]["id"] == str(merged)
            # Its first look is over: it reads home as a page does, and would find the next post there.
            settings.FEED_PUSH_LIMIT = 100_000
            post = publish(bob, "By a worker")
            assert Post.objects.get(pk=post).delivery_state == Post.DeliveryState.PENDING
            mine = publish(alice, "Mine is there at once")
            assert stream.hear()[1]["id"] == str(mine)
            for task, how in todo:
                how.pop("after", None)
                task(**how)
            assert stream.hear()[1]["id"] == str(post)


@pytest.mark.slow
def test_notifications_come_where_the_token_may_read_them(site, alice, bob, carol):
    post = publish(alice)
    narrow = token_of(alice, "read:statuses")
    with (
        opened(site, alice) as stream,
        opened(site, alice, "user/notification") as notices,
        opened(site, alice, token=narrow) as posts_only,
    ):
        like_post(post_id=post, actor=bob)
        for row in (stream, notices):
            name, result = row.hear()
            assert (name, result["type"], result["account"]["username"]) == (
                "notification",
                "favourite",
                "bob",
            )
        (listed,) = Api(alice).get("notifications").json()
        assert listed["id"] == result["id"]
        mark_seen(recipient=alice.pk, ids=[int(result["id"])])
        add_comment(post_id=post, actor=carol, text="Yes")
        name, result = notices.hear()
        assert result["status"]["content"] == "<p>Yes</p>"
        publish(alice, "Mine")
        assert posts_only.hear()[0] == "update"


@pytest.mark.slow
def test_each_gets_only_what_they_may_see_and_want(site, alice, bob, carol):
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    with opened(site, alice, "public") as stream, opened(site, carol, "public/local") as other:
        publish(carol, "From somebody muted")
        assert other.hear()[1]["content"] == "<p>From somebody muted</p>"
        publish(bob, "For followers", visibility="followers")
        publish(bob, "Unlisted", visibility="unlisted")
        block_user(owner=bob.pk, other=carol.pk)
        publish(bob, "For all")
        assert stream.hear()[1]["content"] == "<p>For all</p>"
        publish(alice, "The end")
        assert other.hear()[1]["content"] == "<p>The end</p>"


@pytest.mark.slow
def test_a_hashtag_and_a_list_have_their_streams(site, alice, bob, carol):
    list_ = create_list(owner=alice, title="Friends")
    result = owned_list(owner=alice.pk, list_id=list_)
    follow(alice, bob)
    add_to_list(owner=alice, user_list=result, uids=[bob.pk])
    with ExitStack() as stack:
        tag = stack.enter_context(opened(site, alice, "hashtag", tag="Cats", in_address=True))
        local = stack.enter_context(opened(site, alice, "hashtag/local", tag="#cats"))
        of_list = stack.enter_context(opened(site, alice, "list", list=list_))
        publish(carol, "No cats")
        cats = publish(carol, "Here are #cats")
        of_bob = publish(bob, "Dogs")
        assert tag.hear()[1]["id"] == local.hear()[1]["id"] == str(cats)
        assert of_list.hear()[1]["id"] == str(of_bob)


@pytest.mark.slow
def test_a_stream_ends_with_its_token_and_with_its_account(site, alice, bob):
    with opened(site, alice) as stream, opened(site, bob) as closed:
        publish(alice)
        stream.hear()  # somebody hears by now
        AccessToken.objects.filter(user=alice).first().delete()
        assert not any(line.startswith("event") for line in stream.lines)
        suspend_user(uid=bob.pk)
        assert not any(line.startswith("event") for line in closed.lines)


@pytest.mark.slow
def test_a_place_is_taken_over_and_given_back(site, alice, bob, carol):
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
def hub(monkeypatch):
    """The hub of this process. It looks often and ends soon."""
    monkeypatch.setattr(changes, "WAIT_MS", 50)
    monkeypatch.setattr(app_events, "CHECK_INTERVAL_SECONDS", 0.05)
    monkeypatch.setattr(app_events, "HEARTBEAT_SECONDS", 5.0)
    own = hubs.Hub()
    monkeypatch.setattr(hubs, "_hub", own)
    yield own
    own.shut_down()


def events_of(answer):
    """(name, data) of each event. A heartbeat means that nothing comes."""
    for piece in answer.streaming_content:
        for event in piece.decode().removesuffix("\n\n").split("\n\n"):
            assert event != ":thump", "nothing comes"
            if event != ":)":
                name, data = event.split("\n")
                yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_a_stream_in_this_process_tells_of_posts_and_notifications(hub, alice, bob, carol):
    follow(alice, bob)
    mine = publish(alice, "Mine")
    with closing(Api(alice)._client.get("/api/v1/streaming/user")) as answer:
        assert answer["Content-Type"] == "text/event-stream"
        heard = events_of(answer)
        post = publish(bob, "Good news")
        name, status = next(heard)
        assert (name, status["id"], status["content"]) == ("update", str(post), "<p>Good news</p>")
        publish(carol, "Alice does not follow me")
        edit_post(post_id=post, actor=bob, text="Better news")
        name, status = next(heard)
        assert (name, status["content"]) == ("status.update", "<p>Better news</p>")
        delete_post(post_id=post, actor=bob)
        assert next(heard) == ("delete", post)
        like_post(post_id=mine, actor=carol)
        name, notification = next(heard)
        assert (name, notification["type"]) == ("notification", "favourite")
    assert len(hub) == 0


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("streaming", {}, 404),
        ("streaming/elsewhere", {}, 404),
        ("streaming/hashtag", {}, 422),
        ("streaming/list", {"list": "x"}, 422),
        ("streaming/list", {"list": "1"}, 404),
        ("streaming/list", {"list": "9" * 19}, 404),
    ],
)
def test_what_is_no_stream_is_said_so(alice, path, query, status):
    answer = Api(alice).get(path, **query)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_it_takes_the_right_token(alice):
    for path in ("user", "public", "list", "hashtag", "direct"):
        assert Api(alice, "write read:accounts").get(f"streaming/{path}").status_code == 403
        assert Api().get(f"streaming/{path}").status_code == 401
        assert Api().get(f"streaming/{path}", access_token="x").status_code == 401
    assert Api(alice, "read:statuses").get("streaming/user/notification").status_code == 403
    assert Api(alice).get("notifications", access_token="x").status_code == 200
    with_token_in_address = Api().get("notifications", access_token=token_of(alice))
    assert with_token_in_address.status_code == 401, "only streams take it there"
