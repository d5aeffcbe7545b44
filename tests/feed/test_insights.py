"""Insights for authors on pages, in the API and as CSV, and the counting of views."""

import csv
import re
import time
from datetime import timedelta
from io import StringIO

import pytest
from django.test import Client
from django.utils import timezone

from accounts.infra.ids import first_id_at
from accounts.models import User
from accounts.services.profiles import set_private
from feed import stats
from feed.selectors import insights
from feed.selectors.insights import account_insights
from feed.services import view_counts
from feed.stats import Metric
from feed.store import active_hours
from feed.store import stats as store
from feed.store.collections import stat_hours
from tests.actions import like_post, share_post
from tests.api.api_client import Api, token_of
from tests.factories import follow, follow_many, people, publish, publish_many

BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"}
CRAWLER = {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}


def views(subject):
    stats.flush()
    rows = stat_hours().find({"subject": subject, "metric": "views"})
    return sum(row["total"] for row in rows)


def established_people(count, prefix="p"):
    """Create users whose accounts are older than ``MIN_FOLLOWER_AGE``."""
    first = first_id_at(moment=timezone.now() - timedelta(days=30)) + User.objects.count()
    return User.objects.bulk_create(
        User(pk=first + n, username=f"{prefix}{n}", email=f"{prefix}{n}@example.org")
        for n in range(count)
    )


def post_url(author, post):
    return f"/@{author.username}/{post}/"


@pytest.fixture
def visitor():
    return Client(headers=BROWSER)


# --- Counting views ----------------------------------------------------------------------------
def test_a_view_counts_once_an_hour_per_viewer(client, visitor, alice, bob):
    post = publish(alice)
    client.force_login(bob)
    for _ in range(2):
        assert client.get(post_url(alice, post)).status_code == 200
        assert visitor.get(post_url(alice, post)).status_code == 200
    assert views(post) == views(alice.pk) == 2


def test_views_by_authors_crawlers_and_prefetches_do_not_count(client, alice):
    post = publish(alice)
    client.force_login(alice)
    client.get(post_url(alice, post))
    Client(headers=CRAWLER).get(post_url(alice, post))
    Client(headers={"User-Agent": ""}).get(post_url(alice, post))
    Client(headers={**BROWSER, "Sec-Purpose": "prefetch"}).get(post_url(alice, post))
    assert views(post) == 0


def test_authors_can_switch_off_their_view_counts(client, visitor, alice):
    post = publish(alice)
    client.force_login(alice)
    page = client.get("/settings/privacy/").content.decode()
    assert re.search(r'<input[^>]*name="has_view_counts"[^>]*checked', page)
    client.post("/settings/privacy/", {})
    visitor.get(post_url(alice, post))
    assert views(post) == 0
    assert "View counts are turned off." in client.get("/insights/").content.decode()


def test_a_setting_switches_off_view_counts_for_the_site(client, visitor, alice, settings):
    settings.COUNT_VIEWS = False
    post = publish(alice)
    visitor.get(post_url(alice, post))
    visitor.post("/views/", {"posts": str(post)})
    assert views(post) == 0
    page = visitor.get("/public/").content.decode()
    assert "/views/" not in page
    client.force_login(alice)
    assert "has_view_counts" not in client.get("/settings/privacy/").content.decode()
    client.post("/settings/privacy/", {})
    alice.refresh_from_db()
    assert alice.has_view_counts


def test_a_beacon_counts_only_visible_posts(client, visitor, alice, bob):
    public, direct = publish(alice), publish(alice, "@bob alone", visibility="direct")
    answer = visitor.post("/views/", {"posts": f"{public},{direct},12345"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert (views(public), views(direct)) == (1, 0)
    follow(bob, alice)
    followers = publish(alice, visibility="followers")
    client.force_login(bob)
    client.post("/views/", {"posts": str(followers)})
    assert views(followers) == 1


def shown_token(page):
    return re.search(r'<template data-shown="([^"]+)">', page)[1]


def test_the_token_of_a_page_counts_views_without_cookies_and_commands(
    client, visitor, alice, bob, carol, record_commands
):
    follow(bob, alice)
    shown = publish(alice, visibility="followers")
    other = publish(alice, "@carol", visibility="direct")
    client.force_login(bob)
    data = {"posts": f"{shown},{other}", "page": shown_token(client.get("/").text)}
    visitor.post("/views/", data)
    with record_commands() as commands:
        answer = visitor.post("/views/", data)
    assert (answer.status_code, answer.content) == (204, b"")
    assert commands == []
    client.get(post_url(alice, shown))
    assert (views(shown), views(other)) == (1, 0), "the views of the token are those of bob"


def test_the_views_of_an_author_by_token_do_not_count(client, visitor, alice):
    post = publish(alice)
    client.force_login(alice)
    token = shown_token(client.get("/@alice/").text)
    visitor.post("/views/", {"posts": str(post), "page": token})
    assert views(post) == 0


def test_later_parts_of_a_page_have_a_token_of_their_own(client, visitor, alice, bob):
    follow(bob, alice)
    posts = publish_many(alice, 25)
    client.force_login(bob)
    page = client.get("/").text
    older = re.search(r'<li class="older-posts" hx-get="([^"]+)"', page)[1].replace("&amp;", "&")
    part = client.get(f"/{older}", headers={"HX-Request": "true"}).text
    assert shown_token(part) != shown_token(page)
    oldest_and_newest = f"{posts[0]},{posts[24]}"
    visitor.post("/views/", {"posts": oldest_and_newest, "page": shown_token(page)})
    assert (views(posts[0]), views(posts[24])) == (0, 1)
    tokens = [shown_token(page), shown_token(part)]
    visitor.post("/views/", {"posts": oldest_and_newest, "page": tokens})
    assert (views(posts[0]), views(posts[24])) == (1, 1)


def test_an_invalid_token_or_too_many_tokens_count_nothing(client, visitor, alice, bob):
    post = publish(alice)
    client.force_login(bob)
    token = shown_token(client.get("/@alice/").text)
    for tokens in ([token, "x"], ["x", token], [token] * 41):
        assert visitor.post("/views/", {"posts": str(post), "page": tokens}).status_code == 400
    assert views(post) == 0
    assert visitor.post("/views/", {"posts": str(post), "page": [token] * 40}).status_code == 204
    assert views(post) == 1


def test_old_tokens_do_not_count_and_invalid_tokens_are_refused(
    client, visitor, alice, bob, monkeypatch
):
    post = publish(alice)
    client.force_login(bob)
    token = shown_token(client.get("/@alice/").text)
    monkeypatch.setattr(view_counts, "MAX_TOKEN_DAYS", -1)
    assert visitor.post("/views/", {"posts": str(post), "page": token}).status_code == 204
    for invalid in ("x", token + "x", token[1:], "." + token):
        answer = visitor.post("/views/", {"posts": str(post), "page": invalid})
        assert answer.status_code == 400
    assert views(post) == 0


def test_a_page_that_is_rendered_again_has_the_same_token(client, alice, bob, monkeypatch):
    publish(alice)
    client.force_login(bob)
    tokens = [shown_token(client.get("/@alice/").text)]
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 2)
    tokens.append(shown_token(client.get("/@alice/").text))
    assert tokens[0] == tokens[1]


def test_pages_for_visitors_have_no_token(visitor, alice):
    publish(alice)
    assert "data-shown" not in visitor.get("/public/").text


def test_a_tracking_pixel_counts_views_without_javascript(visitor, alice):
    posts = [publish(alice) for _ in range(2)]
    page = visitor.get("/public/").content.decode()
    (source,) = re.findall(r'<noscript><img [^>]*src="(/views/[^"]+)"', page)
    answer = visitor.get(source)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/gif")
    assert "no-store" in answer["Cache-Control"]
    assert [views(post) for post in posts] == [1, 1]


@pytest.mark.parametrize("posts", ["x", "1,", "-1", "9" * 30, ",".join(map(str, range(42)))])
def test_an_invalid_beacon_is_refused(visitor, posts):
    assert visitor.post("/views/", {"posts": posts}).status_code == 400


def test_cross_site_beacons_do_not_count(visitor, alice):
    post = publish(alice)
    visitor.post("/views/", {"posts": str(post)}, headers={"Sec-Fetch-Site": "cross-site"})
    visitor.head("/views/", {"posts": str(post)})
    assert views(post) == 0


def test_many_browsers_at_one_address_count_as_few_viewers(alice):
    """A program can pretend to be another browser with each request."""
    post = publish(alice)

    def view(version, address):
        agent = f"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/{version}.0"
        visitor = Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)
        assert visitor.post("/views/", {"posts": str(post)}).status_code == 204

    for version in range(50):
        view(version, "192.0.2.1")
    count = views(post)
    assert 1 < count <= 8
    view(1, "198.51.100.1")
    assert views(post) == count + 1


def test_views_in_apps_count(alice, bob):
    follow(bob, alice)
    first, second = publish(alice), publish(alice)
    api = Api(token=token_of(bob))
    api.get("timelines/home")
    assert (views(first), views(second)) == (1, 1)
    Api(token=token_of(alice)).get(f"statuses/{first}")
    api.get(f"statuses/{first}")
    assert views(first) == 1


def test_counting_costs_no_command_in_the_request(client, alice, bob, record_commands, settings):
    post = publish(alice)
    client.force_login(bob)
    client.get(post_url(alice, post))
    settings.COUNT_VIEWS = False
    with record_commands() as without:
        client.get(post_url(alice, post))
    settings.COUNT_VIEWS = True
    stats.reset()
    with record_commands() as counted:
        client.get(post_url(alice, post))
    assert len(counted) == len(without)
    assert views(post) == 1


# --- Pages -------------------------------------------------------------------------------------
def set_count(subject, metric, ago, number):
    store.add_counts(counts={(subject, metric, timezone.now() - ago): number})


def test_the_page_shows_totals_of_the_period_with_tables(client, alice):
    client.force_login(alice)
    set_count(alice.pk, "views", timedelta(minutes=2), 3)
    set_count(alice.pk, "views", timedelta(days=2), 40)
    set_count(alice.pk, "followers", timedelta(days=20), 5)
    totals = {}
    for period in ("hour", "day", "week", "month", "all"):
        response = client.get("/insights/", {"period": period})
        assert response.status_code == 200
        series = {row.metric: row.total for row in response.context["insights"].series}
        totals[period] = (series[Metric.VIEWS], series[Metric.FOLLOWERS])
    assert totals == {
        "hour": (3, 0),
        "day": (3, 0),
        "week": (43, 0),
        "month": (43, 5),
        "all": (43, 5),
    }
    page = client.get("/insights/").content.decode()
    assert page.count('<svg class="chart"') == 5
    assert page.count("<table>") == 5
    assert "style=" not in page


def test_a_post_has_its_own_page_with_exact_totals(client, alice, bob):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    stats.flush()
    client.force_login(alice)
    menu = client.get(f"/posts/{post}/options/").content.decode()
    assert f'href="{post_url(alice, post)}insights/"' in menu
    response = client.get(f"{post_url(alice, post)}insights/")
    series = {row.metric: row.total for row in response.context["insights"].series}
    assert series[Metric.LIKES] == 1
    assert ("Likes", 1) in response.context["totals"]
    assert (
        client.get(f"/@nobody/{post}/insights/")["Location"] == f"{post_url(alice, post)}insights/"
    )


def test_only_the_author_sees_insights(client, alice, bob):
    post = publish(alice)
    path = f"{post_url(alice, post)}insights/"
    assert client.get(path).status_code == client.get("/insights/").status_code == 302
    client.force_login(bob)
    assert client.get(path).status_code == 404
    assert Api(token=token_of(bob)).get(f"socialsite/statuses/{post}/insights").status_code == 404
    assert "insights" not in client.get(post_url(alice, post)).content.decode().split("<main")[1]


def test_an_unknown_period_is_refused(client, alice):
    client.force_login(alice)
    api = Api(token=token_of(alice))
    for period in ("year", "hour' or 1"):
        assert client.get("/insights/", {"period": period}).status_code == 404, period
        assert api.get("socialsite/insights", period=period).status_code == 422, period


def test_the_table_can_be_downloaded(client, alice):
    client.force_login(alice)
    set_count(alice.pk, "views", timedelta(days=1), 7)
    answer = client.get("/insights/", {"period": "week", "format": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="insights-account-week.csv"'
    rows = list(csv.reader(StringIO(answer.content.decode())))
    assert rows[0] == ["from", "views", "likes", "comments", "shares", "followers"]
    assert len(rows) == 8
    assert sum(int(row[1]) for row in rows[1:]) == 7


def test_the_posts_with_most_views_come_first(client, alice):
    posts = [publish(alice, f"number {n}") for n in range(7)]
    for number, post in enumerate(posts):
        set_count(post, "views", timedelta(hours=1), number)
    result = account_insights(uid=alice.pk, period="week").top_posts
    assert [(post.id, views) for post, views in result] == [
        (posts[number], number) for number in (6, 5, 4, 3, 2)
    ]


@pytest.fixture
def without_noise(monkeypatch):
    monkeypatch.setattr(insights, "_noise", lambda **_: 0)


def test_active_hours_of_few_followers_are_not_shown(alice, without_noise):
    followers = established_people(11)
    follow_many(followers, alice)
    now = timezone.now()
    active_hours.record_active(
        uids=[follower.pk for follower in followers[:9]], at=now.replace(hour=8)
    )
    assert account_insights(uid=alice.pk, period="week").active_hours is None
    active_hours.record_active(uids=[followers[10].pk], at=now.replace(hour=20))
    hours = account_insights(uid=alice.pk, period="week").active_hours
    assert [share for at, share in hours if at.hour in (8, 20)] == [0.9, 0.1]


def test_noise_keeps_known_active_hours_from_revealing_another_follower(
    alice, settings, monkeypatch
):
    accomplices, (victim,) = established_people(9), established_people(1, "victim")
    follow_many([*accomplices, victim], alice)
    now = timezone.now()
    for hour in range(19):
        active_hours.record_active(
            uids=[user.pk for user in accomplices], at=now.replace(hour=hour)
        )
    for hour in (3, 9, 10, 10):
        active_hours.record_active(uids=[victim.pk], at=now.replace(hour=hour))

    def shown_hours(secret):
        settings.SECRET_KEY = secret
        hours = account_insights(uid=alice.pk, period="week").active_hours
        return {at.hour for at, share in hours if share}

    shown = [shown_hours(f"secret {n}") for n in range(30)]
    assert [hours for hours in shown if hours == {3, 9, 10}] == []
    assert all(sum(hour not in hours for hours in shown) for hour in (3, 9, 10))
    assert shown[:3] == [shown_hours(f"secret {n}") for n in range(3)], "the noise is stable"
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(days=7))
    assert shown[:3] != [shown_hours(f"secret {n}") for n in range(3)]


def test_the_noise_of_active_hours_is_small_and_differs(settings):
    week = (2026, 48)
    noises = [
        insights._noise(uid=uid, week=week, hour=hour) for uid in range(500) for hour in range(24)
    ]
    assert len(set(noises)) == len(noises)
    assert abs(sum(noises) / len(noises)) < 0.1
    # The mean of absolute values of Laplace noise is its scale.
    assert 0.9 < sum(map(abs, noises)) / len(noises) < 1.1


def test_active_hours_reveal_no_single_follower(alice, without_noise):
    accomplices, (victim,) = established_people(9), established_people(1, "victim")
    newcomers = people(3, "new")
    follow_many([*accomplices, victim, *newcomers], alice)
    now = timezone.now()
    for hour in (3, 9, 15):
        active_hours.record_active(
            uids=[user.pk for user in accomplices], at=now.replace(hour=hour)
        )
    active_hours.record_active(uids=[user.pk for user in newcomers], at=now.replace(hour=1))
    # A single follower with many visits, half of them at 6, counts as much as another one.
    for hour in (5, 6, 6, 7) * 25:
        active_hours.record_active(uids=[victim.pk], at=now.replace(hour=hour))
    hours = account_insights(uid=alice.pk, period="week").active_hours
    assert {at.hour: share for at, share in hours if share} == {3: 0.3, 9: 0.3, 15: 0.3}


def test_shares_are_no_top_posts(client, alice, bob):
    own, other = publish(alice), publish(bob)
    share = share_post(post_id=other, actor=alice)
    for subject, count in ((own, 1), (share, 5), (other, 9)):
        set_count(subject, "views", timedelta(hours=1), count)
    result = account_insights(uid=alice.pk, period="week").top_posts
    assert [(post.id, views) for post, views in result] == [(own, 1)]
    client.force_login(alice)
    page = client.get("/insights/", {"period": "week"}).content.decode()
    (link,) = re.findall(r'<li><a href="([^"]+/insights/)"', page)
    assert client.get(link).status_code == 200


def test_insights_cost_the_same_for_few_and_many_posts(client, alice, record_commands):
    client.force_login(alice)
    set_count(publish(alice), "views", timedelta(0), 1)
    client.get("/insights/")
    with record_commands() as few:
        client.get("/insights/")
    for _ in range(4):
        set_count(publish(alice), "views", timedelta(hours=3), 1)
    with record_commands() as many:
        client.get("/insights/")
    assert len(many) == len(few) <= 20


# --- In the API --------------------------------------------------------------------------------
def test_the_api_returns_the_same_numbers(alice):
    post = publish(alice)
    set_count(alice.pk, "views", timedelta(0), 3)
    set_count(post, "views", timedelta(0), 2)
    account = Api(token=token_of(alice)).get("socialsite/insights", period="day").json()
    assert account["period"] == "day"
    assert [series["metric"] for series in account["series"]] == [
        "views",
        "likes",
        "comments",
        "shares",
        "followers",
    ]
    assert (account["series"][0]["total"], len(account["series"][0]["data"])) == (3, 24)
    assert account["top_statuses"] == [{"id": str(post), "views": 2}]
    assert account["active_hours"] is None
    status = Api(token=token_of(alice)).get(f"socialsite/statuses/{post}/insights").json()
    assert (status["series"][0]["total"], len(status["series"][0]["data"])) == (2, 7)


def test_a_private_account_has_insights(client, alice, bob):
    follow(bob, alice)
    set_private(uid=alice.pk, is_private=True)
    post = publish(alice)
    client.force_login(bob)
    client.get(post_url(alice, post))
    assert views(post) == 1
