"""The database commands of every page and of the frequent actions, compared with ``docs/commands.md``.

The numbers are upper bounds for two small sites. ``tests.feed.test_budget`` has large ones.
"""

import re
from pathlib import Path

import pytest
from django.conf import settings as project_settings
from django.urls import reverse

from accounts import user_cards
from feed.services.user_lists import create_list
from feed.timeline.strategies import buckets
from tests.actions import add_comment, bookmark_post, like_post
from tests.database import command_log
from tests.factories import follow, follow_many, people, publish, publish_many
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import quote
from tests.feed.test_budget import BADGE, DEEP_PAGE, FIRST_PAGE, PROFILE_COMMANDS, SESSION_AND_USER

from .test_access_table import ROUTES, response_in_table
from .world import site

NO_PAGES = re.compile(
    r"admin:|api_|account_(?!inactive|insights|settings)|mfa_|oauth_|openid|health|host_meta|initial|languages|live_poll|manifest"
    r"|metrics|nodeinfo|offline|old_|robots|service_worker|site_|sitemap|download_archive|unsubscribe_email"
)
"""Routes that are files, belong to the API or to the admin, or need no session."""
PAGES = sorted(
    name
    for name in ROUTES
    if not NO_PAGES.match(name) and response_in_table(name, "GET", "owner") == "200"
)


def table(kind):
    """Return the numbers in the docs by the name of the route."""
    numbers = {}
    page = Path(project_settings.BASE_DIR, "docs/commands.md").read_text()
    for number, names in re.findall(rf"^\| {kind} \| (\d+) \| (.*) \|$", page, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            assert name not in numbers
            numbers[name] = int(number)
    return numbers


def page_cost(client, path, record_commands):
    """Return the number of commands of a page, without session, user and badge."""
    client.get(path)
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get(path)
    assert response.status_code == 200, path
    names = [f"{name} {command.get(name)}" for name, command in commands]
    return len(names) - SESSION_AND_USER - (BADGE in names)


def action_cost(commands):
    """Return the number of commands of an action, without session, user and the broker's commands.

    The first job of a process costs the broker more commands than later ones.
    """
    return len(commands[SESSION_AND_USER:]) - sum(
        name in ("buildinfo", "listCollections") or str(command.get(name)).startswith("messages")
        for name, command in commands
    )


@pytest.fixture
def small_site(settings):
    settings.WEB_PUSH_PRIVATE_KEY = ""
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 24 * 60 * 60
    return site.restore()


def test_every_page_costs_at_most_the_commands_in_the_docs(small_site, record_commands):
    client, numbers = small_site.client("owner"), table("page")
    client.get("/")
    with command_log.uncounted():
        costs = {
            name: page_cost(client, small_site.path(name, ROUTES[name]), record_commands)
            for name in PAGES
        }
    assert numbers.keys() == costs.keys()
    assert not [f"{name}: {cost}" for name, cost in costs.items() if cost > numbers[name]]


def test_the_docs_contain_the_budgets_of_pages():
    numbers = table("page")
    assert all(
        numbers[f"profile_{tab.strip('/')}" if tab else "profile"] >= number
        for tab, number in PROFILE_COMMANDS.items()
    )
    text = " ".join(Path(project_settings.BASE_DIR, "docs/commands.md").read_text().split())
    assert f"at most {FIRST_PAGE} commands, a deeper one {DEEP_PAGE}." in text


@pytest.fixture
def lively_site(alice, bob, carol):
    """alice follows bob, who has posts of every kind. Return the values of the paths."""
    follow(alice, bob)
    follow(bob, alice)
    follow_many(people(10), alice, bob)
    publish_many(bob, 30, tag="tea")
    post = publish(bob, "Hello #tea @alice")
    comment = add_comment(post_id=post, actor=alice, text="Yes")
    like_post(post_id=post, actor=carol)
    bookmark_post(post_id=post, actor=alice)
    quote(post, carol)
    return {
        "username": "bob",
        "post_id": post,
        "comment_id": comment,
        "tag": "tea",
        "own": publish(alice, "Mine"),
        "poll": publish_poll(bob),
        "message": publish(bob, "@alice hello", "direct"),
        "list_id": create_list(owner=alice, title="List"),
    }


LIVELY_PAGES = (
    "bookmarks", "comment_thread", "conversations", "explore", "followers", "following", "home", "list",
    "notifications", "people", "post", "post_history", "post_likers", "post_options", "post_quotes",
    "profile", "profile_comments", "profile_feed", "profile_pictures", "profile_reviews", "public",
    "quiet_authors", "tag", "tag_feed", "tags", "trending_links", "unread",
)  # fmt: skip


def test_a_lively_site_costs_at_most_the_commands_in_the_docs(
    alice, client, lively_site, record_commands
):
    numbers = table("page")
    client.force_login(alice)
    paths = {
        name: reverse(name, kwargs={key: lively_site[key] for key in ROUTES[name]})
        for name in LIVELY_PAGES
    }
    paths["search"] = "/search/?q=tea"
    paths["conversation"] = reverse("conversation", args=[lively_site["message"]])
    with command_log.uncounted():
        costs = {name: page_cost(client, path, record_commands) for name, path in paths.items()}
    assert not [f"{name}: {cost}" for name, cost in costs.items() if cost > numbers[name]]


def test_the_actions_cost_at_most_the_commands_in_the_docs(
    alice, client, lively_site, record_commands, monkeypatch
):
    monkeypatch.setattr(buckets, "PROBE_INTERVAL", 1)
    post, own, poll = (lively_site[key] for key in ("post_id", "own", "poll"))
    comment = lively_site["comment_id"]
    calls = [
        ("publish_post", [], {"text": "Good morning", "idempotency_key": "once"}),
        ("edit_post", [own], {"text": "Better"}),
        *((name, [own], {}) for name in ("pin_post", "unpin_post", "delete_post")),
        ("add_comment", [post], {"text": "Hi", "parent": 0, "idempotency_key": "twice"}),
        ("edit_comment", [post, comment], {"text": "No"}),
        ("delete_comment", [post, comment], {}),
        *(
            (name, [post], {})
            for name in ("like_post", "unlike_post", "share_post", "unshare_post")
        ),
        *((name, [post], {}) for name in ("unbookmark_post", "bookmark_post")),
        ("answer_post", [poll], {f"choice-{poll}": "0"}),
        *(
            (name, ["carol"], {})
            for name in ("follow", "unfollow", "mute", "unmute", "block", "unblock")
        ),
        *((name, ["tea"], {}) for name in ("follow_tag", "unfollow_tag")),
        ("advance_home_position", [], {"position": post}),
        ("hide_conversation", [lively_site["message"]], {}),
    ]
    numbers, costs = table("action"), {}
    client.force_login(alice)
    with command_log.uncounted():
        for name, values, form in calls:
            client.get("/")  # renews what a process caches for a few seconds
            user_cards.clear_cards()
            with record_commands() as commands:
                response = client.post(reverse(name, args=values), form)
            assert response.status_code == 302, (name, response.content)
            costs[name] = action_cost(commands)
    assert numbers.keys() == costs.keys()
    assert not [f"{name}: {cost}" for name, cost in costs.items() if cost > numbers[name]]
