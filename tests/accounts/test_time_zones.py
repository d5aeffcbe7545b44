"""Times are shown in the time zone of the user's setting, else of the browser, else in UTC."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from accounts.infra import time_zones
from accounts.infra.time_zones import clean_time_zone, time_zone_names
from accounts.models import User
from accounts.services.profiles import change_settings
from feed.models import Post
from feed.stats import Metric
from feed.store import stats
from notifications.services.preferences import save_mail_preferences
from notifications.store.preferences import get_preferences
from tests.api.api_client import Api, token_of
from tests.factories import publish
from tests.feed.comment_helpers import say

ACCOUNT, MAILS, INSIGHTS = "/settings/account/", "/settings/notifications/mail/", "/insights/"
NOON = datetime(2026, 1, 15, 12, 30, tzinfo=UTC)
TIMES = {
    "UTC": "Jan. 15, 2026, 12:30 PM UTC",
    "Asia/Tokyo": "Jan. 15, 2026, 9:30 PM JST",
    "Europe/Berlin": "Jan. 15, 2026, 1:30 PM CET",
    "Asia/Dubai": "Jan. 15, 2026, 4:30 PM UTC+04",
    "America/New_York": "Jan. 15, 2026, 7:30 AM EST",
}


@pytest.fixture
def post(alice):
    post_id = publish(alice, "At noon")
    Post.objects.filter(pk=post_id).update(created_at=NOON)
    return post_id


def times(client: Client, path: str = "/public/") -> list[str]:
    """Return the titles of the times on a page."""
    return re.findall(r'<time [^>]*title="([^"]+)"', client.get(path).content.decode())


def use_browser_in(client: Client, zone: str) -> None:
    client.cookies["time_zone"] = zone


def test_visitors_see_utc_until_the_browser_reports_its_time_zone(client, post):
    assert times(client) == [TIMES["UTC"]]
    for zone in TIMES:
        use_browser_in(client, zone)
        assert times(client) == [TIMES[zone]]
    assert 'datetime="2026-01-15T12:30:00Z"' in client.get("/public/").content.decode()


HOSTILE_NAMES = (
    "",
    "Mars/Olympus",
    "../../etc/passwd",
    "/etc/localtime",
    "localtime",
    "Factory",
    "posixrules",
    "europe/berlin",
    "Europe/Berlin\x00",
    "Europe/Berlin; UTC",
    "Zürich",
    "x" * 4000,
    "Europe",
    "posix/UTC",
)


def test_unknown_names_in_the_cookie_are_ignored(client, post):
    for name in HOSTILE_NAMES:
        use_browser_in(client, name)
        response = client.get("/public/")
        assert response.status_code == 200, name
        assert TIMES["UTC"] in response.content.decode(), name


def test_every_time_zone_that_users_can_choose_is_known():
    assert {"UTC", "Europe/Berlin", "America/New_York"} < set(time_zone_names())
    assert all(clean_time_zone(name) == name for name in (*time_zone_names(), "Etc/GMT+5"))


@pytest.mark.parametrize("name", ["Asia/Calcutta", "Asia/Saigon", "Europe/Kiev", "America/Godthab"])
def test_old_names_that_browsers_send_are_known_on_every_system(monkeypatch, name):
    monkeypatch.setattr("zoneinfo._tzpath.TZPATH", ())
    time_zones._known_names.cache_clear()
    assert clean_time_zone(name) == name
    assert ZoneInfo.no_cache(name).key == name
    time_zones._known_names.cache_clear()


def test_the_setting_wins_over_the_browser(client, alice, post):
    client.force_login(alice)
    use_browser_in(client, "Asia/Tokyo")
    assert times(client) == [TIMES["Asia/Tokyo"]]
    assert 'value="browser" selected' in client.get(ACCOUNT).content.decode()
    response = client.post(ACCOUNT, {"language": "browser", "time_zone": "Europe/Berlin"})
    assert response["Location"] == ACCOUNT
    assert times(client) == [TIMES["Europe/Berlin"]]
    assert 'value="Europe/Berlin" selected' in client.get(ACCOUNT).content.decode()
    client.post(ACCOUNT, {"language": "browser", "time_zone": "browser"})
    assert times(client) == [TIMES["Asia/Tokyo"]]


def test_a_saved_time_zone_that_no_longer_exists_is_ignored(client, alice, post):
    User.objects.filter(pk=alice.pk).update(time_zone="Europe/Atlantis")
    client.force_login(alice)
    use_browser_in(client, "Asia/Tokyo")
    assert times(client) == [TIMES["Asia/Tokyo"]]


def test_an_unknown_time_zone_is_refused(client, alice):
    client.force_login(alice)
    for zone in ("", "Mars/Olympus", "Etc/GMT+5", "x" * 100_000):
        response = client.post(ACCOUNT, {"language": "browser", "time_zone": zone})
        assert response.status_code == 422, zone[:20]
        assert 'id="id_time_zone_error"' in response.content.decode()
    assert User.objects.get(pk=alice.pk).time_zone == ""


def test_a_time_zone_does_not_outlive_its_request(client, alice, post):
    change_settings(uid=alice.pk, time_zone="Asia/Tokyo")
    client.force_login(alice)
    assert times(client) == [TIMES["Asia/Tokyo"]]
    assert timezone.get_current_timezone_name() == "UTC"
    assert times(Client()) == [TIMES["UTC"]]
    use_browser_in(client, "Europe/Berlin")
    assert client.get("/no-such-page/").status_code == 404
    assert timezone.get_current_timezone_name() == "UTC"


def test_viewers_in_two_time_zones_share_no_html(alice, bob, post):
    clients = {}
    for user, zone in ((alice, "Asia/Tokyo"), (bob, "America/New_York")):
        change_settings(uid=user.pk, time_zone=zone)
        clients[zone] = Client()
        clients[zone].force_login(user)
    for _ in range(2):
        for zone, client in clients.items():
            assert times(client) == [TIMES[zone]]


def test_comments_and_notifications_are_in_the_time_zone_too(client, alice, bob, post):
    say(post, bob, "Hello")
    client.force_login(alice)
    for _ in range(2):
        for zone, name in (("Asia/Tokyo", "JST"), ("Asia/Kolkata", "IST")):
            use_browser_in(client, zone)
            for path in (f"/@alice/{post}/", "/notifications/"):
                shown = times(client, path)
                assert shown
                assert all(time.endswith(f" {name}") for time in shown), shown


def test_caches_keep_pages_of_different_cookies_apart(client, alice, post):
    for path in ("/public/", "/@alice/", "/people/", "/accounts/login/"):
        assert "Cookie" in client.get(path)["Vary"], path
    client.force_login(alice)
    response = client.get("/")
    assert response["Cache-Control"] == "private, no-cache"
    assert "Cookie" in response["Vary"]


def test_feeds_and_the_api_stay_in_utc(client, alice, post):
    change_settings(uid=alice.pk, time_zone="Asia/Tokyo")
    before = client.get("/@alice/feed/").content
    client.force_login(alice)
    use_browser_in(client, "Asia/Tokyo")
    assert client.get("/@alice/feed/").content == before
    assert b"2026-01-15T12:30:00+00:00" in before
    api = Api(token=token_of(alice))
    api._client.cookies["time_zone"] = "Asia/Tokyo"
    assert api.get(f"statuses/{post}").json()["created_at"] == "2026-01-15T12:30:00.000Z"


# --- Mails -------------------------------------------------------------------------------------
def mail_time_zone(user: User) -> str:
    return get_preferences(recipient=user.pk).mail.time_zone


def test_mails_use_the_chosen_time_zone(client, alice):
    save_mail_preferences(
        recipient=alice.pk, mode="daily", mailed_kinds=["like"], quiet_from=60, quiet_until=120
    )
    client.force_login(alice)
    client.post(ACCOUNT, {"language": "browser", "time_zone": "Asia/Tokyo"})
    mail = get_preferences(recipient=alice.pk).mail
    assert (mail.time_zone, mail.mode, mail.quiet_from) == ("Asia/Tokyo", "daily", 60)
    client.post(ACCOUNT, {"language": "browser", "time_zone": "browser"})
    assert mail_time_zone(alice) == "Asia/Tokyo"


def test_saved_mail_settings_use_the_time_zone_of_the_browser(client, alice):
    client.force_login(alice)
    client.post(MAILS, {"mode": "away", "mailed": ["like"]})
    assert mail_time_zone(alice) == ""
    use_browser_in(client, "Asia/Tokyo")
    client.post(MAILS, {"mode": "away", "mailed": ["like"]})
    assert mail_time_zone(alice) == "Asia/Tokyo"
    assert "Until you save" not in client.get(MAILS).content.decode()
    use_browser_in(client, "America/New_York")
    page = client.get(MAILS).content.decode()
    assert "in the time zone America/New York" in page
    assert "Until you save, emails use Asia/Tokyo" in page
    client.cookies.clear()
    client.force_login(alice)
    client.post(MAILS, {"mode": "away", "mailed": ["like"]})
    assert mail_time_zone(alice) == "Asia/Tokyo"


# --- Insights ----------------------------------------------------------------------------------
def test_days_of_insights_are_in_utc_and_hours_in_the_viewers_time_zone(client, alice):
    client.force_login(alice)
    use_browser_in(client, "Asia/Tokyo")
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    moment = midnight - timedelta(days=1, seconds=-1)
    stats.add_counts(counts={(alice.pk, Metric.VIEWS, moment): 7})
    csv = client.get(INSIGHTS, {"period": "week", "format": "csv"}).content.decode()
    assert f"{moment:%Y-%m-%d}T00:00:00+00:00,7" in csv
    assert "Days and months start at midnight UTC." in client.get(INSIGHTS).content.decode()
    page = client.get(INSIGHTS, {"period": "day"})
    assert "Times are in the time zone Asia/Tokyo." in page.content.decode()
    hour = timezone.localtime(timezone=timezone.get_fixed_timezone(9 * 60)).strftime("%H:00")
    assert page.context["charts"][0].bars[-1].label == hour


def test_every_time_zone_can_open_insights(client, alice):
    client.force_login(alice)
    for zone in ("America/Coyhaique", "Europe/Kyiv", "Asia/Kathmandu", "America/Havana"):
        use_browser_in(client, zone)
        assert client.get(INSIGHTS, {"period": "day"}).status_code == 200
    for period in ("hour", "week", "all"):  # longer periods begin at midnight UTC
        assert client.get(INSIGHTS, {"period": period}).status_code == 200
