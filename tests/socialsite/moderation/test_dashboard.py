"""The dashboard of the admin, and the list of comments."""

import re
from importlib import import_module
from xml.etree import ElementTree

import pytest

from feed import stats
from feed.models import Post
from feed.stats import Metric
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.subjects import user_subject
from tests.accounts.test_admin import joins_and_counts
from tests.factories import people, publish, publish_many
from tests.feed.comment_helpers import say

from .moderator_client import CASES, latest_action, report


def test_the_dashboard_shows_open_work(moderator_client, alice, bob, carol, administrator):
    case = report(alice, "person", bob.pk)
    report(carol, "person", bob.pk)
    first, second, third = publish_many(bob, 3)
    report(alice, "post", first)
    Post.objects.filter(pk=second).update(delivery_state="failed")
    Post.objects.filter(pk=third).update(hidden="pending")
    moderator_client.act(case, "warn")
    create_appeal(action_id=latest_action().pk, user=bob, text="No")
    stats.flush()
    response = moderator_client.client.get("/admin/")
    overview = response.context["overview"]
    assert [count.value for count in overview.cases_by_age] == [2, 0, 0, 0]
    assert [newest.subject for newest in overview.newest_cases] == [first, bob.pk]
    assert [reported.pk for reported in overview.most_reported_cases] == [case.pk]
    counts = (overview.appeals, overview.pending_review, overview.failed_deliveries)
    assert [count.value for count in counts] == [1, 1, 1]
    assert [len(series.points) for series in overview.daily_series] == [28] * 3
    assert [len(series.points) for series in overview.hourly_series] == [24] * 4
    assert [len(series.points) for series in overview.minute_series] == [60]
    all_series = (*overview.daily_series, *overview.minute_series)
    totals = {series.metric: series.total for series in all_series}
    assert totals[Metric.REPORTS] == 3
    assert totals[Metric.ACTIVE] == 1  # the moderator
    html = response.content.decode()
    assert f"{CASES}{case.pk}/change/" in html
    assert "style=" not in html
    assert "<style" not in html


def test_charts_are_images_with_a_name_and_a_table(moderator_client, bob):
    publish(bob)
    stats.flush()
    moderator_client.client.cookies["time_zone"] = "Asia/Tokyo"
    html = moderator_client.client.get("/admin/").content.decode()
    assert "days start at midnight UTC. Hours are in the time zone Asia/Tokyo." in html
    charts = html.split('<svg class="chart"')[1:]
    assert len(charts) == 7
    for chart_html in charts:
        svg = '<svg class="chart"' + chart_html.split("</svg>")[0] + "</svg>"
        chart = ElementTree.fromstring(svg)  # noqa: S314 - our own
        title, desc = chart.find("title"), chart.find("desc")
        assert chart.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
        assert title.text
        assert desc.text
        assert chart_html.count('<th scope="row">') in (28, 24, 60)
    # The last chart shows deliveries. There was one delivery, so one bar has the full height.
    assert max(int(bar.get("height")) for bar in chart.iter("rect")) == 120


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1 unanswered appeal "), (2, "2 unanswered appeals ")]
)
def test_counts_have_singular_and_plural(moderator_client, moderator, alice, number, text):
    for _ in range(number):
        warning = take_action(kind="warn", subject=user_subject(uid=alice.pk), moderator=moderator)
        create_appeal(action_id=warning.pk, user=alice, text="No")
    html = moderator_client.client.get("/admin/").content.decode()
    page_text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert f" {text}" in page_text


def test_the_dashboard_has_a_bounded_number_of_commands(
    moderator_client, record_commands, monkeypatch, alice, bob, admin_user
):
    monkeypatch.setattr(import_module("socialsite.moderation.selectors.overview"), "MAX_LISTED", 3)
    moderator_client.client.force_login(admin_user)  # Django reads no permissions of superusers
    report(alice, "person", bob.pk)
    moderator_client.client.get("/admin/")
    with record_commands() as few:
        moderator_client.client.get("/admin/")
    for reporter, post in zip(people(4), publish_many(bob, 4), strict=True):
        report(reporter, "post", post)
        report(reporter, "person", bob.pk)
    with record_commands() as many:
        moderator_client.client.get("/admin/")
    assert len(many) == len(few)
    assert joins_and_counts(many) == []


def comments(response):
    return [comment.text for comment, _name, _time in response.context["rows"]]


def test_comments_are_listed_newest_first_over_all_posts(moderator_client, monkeypatch, alice, bob):
    from socialsite.moderation.admin import comments as view

    monkeypatch.setattr(view, "PAGE_SIZE", 3)
    posts = publish_many(alice, 3)
    threads = {post: say(post, bob, f"first on {n}") for n, post in enumerate(posts)}
    texts = [f"first on {n}" for n in range(3)]
    for n in range(8):
        post = posts[n % 3]
        say(post, alice, f"number {n}", parent=threads[post] if n % 2 else 0)
        texts.append(f"number {n}")
    listed_texts, path = [], f"{CASES}comments/"
    while path:
        response = moderator_client.client.get(path)
        listed_texts += comments(response)
        cursor = response.context["older"]
        path = f"{CASES}comments/?max_id={cursor}" if cursor else ""
    assert listed_texts == texts[::-1]


def test_comments_are_found_by_id_author_and_text(moderator_client, alice, bob):
    post = publish(alice)
    first = say(post, bob, "Buy PILLS. (now)")
    say(post, alice, "thanks")
    case = report(alice, "comment", first, post=post)
    path = f"{CASES}comments/"
    searches = {
        "": ["thanks", "Buy PILLS. (now)"],
        "pills.": ["Buy PILLS. (now)"],
        "(now)": ["Buy PILLS. (now)"],
        ".*": [],
        "@bob": ["Buy PILLS. (now)"],
        "@BOB": ["Buy PILLS. (now)"],
        "@nobody": [],
        "@": [],
        str(first): ["Buy PILLS. (now)"],
        "1": [],
        "99999999999999999999": [],
        "\0": ["thanks", "Buy PILLS. (now)"],
        "x" * 5000: [],
    }
    assert {
        query: comments(moderator_client.client.get(path, {"q": query})) for query in searches
    } == searches
    assert comments(moderator_client.client.get(path + "?max_id=nonsense")) == searches[""]
    assert moderator_client.client.post(path).status_code == 405
    link = f"kind=comment&amp;id={first}&amp;post={post}"
    assert link in moderator_client.client.get(path).content.decode()
    moderator_client.act(case, "remove")
    assert comments(moderator_client.client.get(path)) == ["thanks"]


def test_a_page_of_comments_has_a_bounded_number_of_commands(
    moderator_client, record_commands, alice
):
    post = publish(alice)
    say(post, alice, "one")
    with record_commands() as few:
        moderator_client.client.get(f"{CASES}comments/")
    for user in people(6):
        say(publish(user), user, "another")
    with record_commands() as many:
        assert len(comments(moderator_client.client.get(f"{CASES}comments/"))) == 7
    assert len(many) == len(few)
