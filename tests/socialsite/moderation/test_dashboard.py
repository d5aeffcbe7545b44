"""The first page of the admin, and the list of comments."""

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
from tests.feed.talking import say

from .desk import CASES, latest, report


def test_it_tells_what_there_is_to_do(desk, alice, bob, carol, administrator):
    case = report(alice, "person", bob.pk)
    report(carol, "person", bob.pk)
    first, second, third = publish_many(bob, 3)
    report(alice, "post", first)
    Post.objects.filter(pk=second).update(delivery_state="failed")
    Post.objects.filter(pk=third).update(hidden="held")
    desk.act(case, "warn")
    create_appeal(action_id=latest().pk, user=bob, text="No")
    stats.flush()
    response = desk.client.get("/admin/")
    found = response.context["overview"]
    assert [count.number for count in found.ages] == [2, 0, 0, 0]
    assert [one.subject for one in found.newest] == [first, bob.pk]
    assert [one.pk for one in found.most_reported] == [case.pk]
    assert (found.appeals.number, found.held.number, found.failed.number) == (1, 1, 1)
    assert [len(series.points) for series in found.months] == [28] * 3
    assert [len(series.points) for series in found.days] == [24] * 4
    assert [len(series.points) for series in found.hours] == [60]
    totals = {series.metric: series.total for series in (*found.months, *found.hours)}
    assert totals[Metric.REPORTS] == 3
    assert totals[Metric.ACTIVE] == 1  # the moderator
    shown = response.content.decode()
    assert f"{CASES}{case.pk}/change/" in shown
    assert "style=" not in shown
    assert "<style" not in shown


def test_charts_are_images_with_a_name_and_a_table(desk, bob):
    publish(bob)
    stats.flush()
    shown = desk.client.get("/admin/").content.decode()
    charts = shown.split('<svg class="chart"')[1:]
    assert len(charts) == 7
    for rest in charts:
        drawn = '<svg class="chart"' + rest.split("</svg>")[0] + "</svg>"
        chart = ElementTree.fromstring(drawn)  # noqa: S314 - our own
        title, desc = chart.find("title"), chart.find("desc")
        assert chart.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
        assert title.text
        assert desc.text
        assert rest.count('<th scope="row">') in (28, 24, 60)
    # The last one is of deliveries; there was one.
    assert max(int(bar.get("height")) for bar in chart.iter("rect")) == 120


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1 unanswered appeal "), (2, "2 unanswered appeals ")]
)
def test_one_is_not_called_many(desk, moderator, alice, number, words):
    for _ in range(number):
        warning = take_action(kind="warn", subject=user_subject(uid=alice.pk), moderator=moderator)
        create_appeal(action_id=warning.pk, user=alice, text="No")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", desk.client.get("/admin/").content.decode()))
    assert f" {words}" in text


def test_it_costs_the_same_for_few_and_for_many(
    desk, record_commands, monkeypatch, alice, bob, admin_user
):
    monkeypatch.setattr(import_module("socialsite.moderation.selectors.overview"), "LISTED", 3)
    desk.client.force_login(admin_user)  # whose permissions need not be joined
    report(alice, "person", bob.pk)
    desk.client.get("/admin/")
    with record_commands() as few:
        desk.client.get("/admin/")
    for reporter, post in zip(people(4), publish_many(bob, 4), strict=True):
        report(reporter, "post", post)
        report(reporter, "person", bob.pk)
    with record_commands() as many:
        desk.client.get("/admin/")
    assert len(many) == len(few)
    assert joins_and_counts(many) == []


def comments(response):
    return [comment.text for comment, _who, _at in response.context["rows"]]


def test_comments_are_listed_newest_first_over_all_posts(desk, monkeypatch, alice, bob):
    from socialsite.moderation.admin import comments as view

    monkeypatch.setattr(view, "PAGE_SIZE", 3)
    posts = publish_many(alice, 3)
    threads = {post: say(post, bob, f"first on {n}") for n, post in enumerate(posts)}
    said = [f"first on {n}" for n in range(3)]
    for n in range(8):
        post = posts[n % 3]
        say(post, alice, f"number {n}", parent=threads[post] if n % 2 else 0)
        said.append(f"number {n}")
    found, path = [], f"{CASES}comments/"
    while path:
        response = desk.client.get(path)
        found += comments(response)
        older = response.context["older"]
        path = f"{CASES}comments/?max_id={older}" if older else ""
    assert found == said[::-1]


def test_comments_are_found_by_number_author_and_words(desk, alice, bob):
    post = publish(alice)
    first = say(post, bob, "Buy PILLS. (now)")
    say(post, alice, "thanks")
    hidden = report(alice, "comment", first, post=post)
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
    assert {words: comments(desk.client.get(path, {"q": words})) for words in searches} == searches
    assert comments(desk.client.get(path + "?max_id=nonsense")) == searches[""]
    assert desk.client.post(path).status_code == 405
    link = f"kind=comment&amp;id={first}&amp;post={post}"
    assert link in desk.client.get(path).content.decode()
    desk.act(hidden, "remove")
    assert comments(desk.client.get(path)) == ["thanks"]


def test_a_page_of_comments_costs_the_same_whatever_there_is(desk, record_commands, alice):
    post = publish(alice)
    say(post, alice, "one")
    with record_commands() as few:
        desk.client.get(f"{CASES}comments/")
    for one in people(6):
        say(publish(one), one, "another")
    with record_commands() as many:
        assert len(comments(desk.client.get(f"{CASES}comments/"))) == 7
    assert len(many) == len(few)
