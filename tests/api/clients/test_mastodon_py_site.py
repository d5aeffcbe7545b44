"""Instance information, announcements and app credentials with Mastodon.py."""

import pytest
from django.db import connection
from mastodon import Mastodon, MastodonUnauthorizedError

from accounts.models import User
from socialsite.moderation.models import Announcement, Rule
from tests.api.api_client import token_of
from tests.browser.site import served_site
from tests.factories import publish

from .test_mastodon_py import logged_in


@pytest.fixture
def client(site: str, alice: User) -> Mastodon:
    return Mastodon(access_token=token_of(alice), api_base_url=site)


def test_instance_information_is_read(client, site, alice):
    rule = Rule.objects.create(text="Be kind", details="To everybody")
    new, old = client.instance_v2(), client.instance_v1()
    assert (client.instance().domain, old.uri) == (new.domain, new.domain)
    assert old.stats.user_count == 1
    assert [status.id for status in client.instance_rules()] == [str(rule.pk)]
    assert client.retrieve_mastodon_version() == "4.3.0"
    assert client.verify_minimum_version("4.2.0", cached=True)
    assert client.instance_health()
    assert client.instance_nodeinfo().software.name == "socialsite"
    assert "What you can do here" in client.instance_extended_description().content
    assert client.instance_terms_of_service().effective
    assert len(client.instance_activity()) == 12
    assert client.instance_peers() == []
    assert client.instance_domain_blocks() == []
    assert client.instance_translation_languages() == {}
    assert "en" in [language.code for language in client.instance_languages()]
    assert client.get_approx_server_time().year >= 2026
    for timeline in ("home", "public"):
        assert client.timeline_is_available(timeline)


def test_announcements_are_read_and_dismissed(alice, settings):
    announcement = Announcement.objects.create(text="We move on Sunday")
    database = connection.settings_dict["NAME"]
    # Start a new process: other processes have already cached the announcements.
    with served_site(database=database, data_dir=settings.DATA_DIR, has_streams=False) as site:
        client = Mastodon(access_token=token_of(alice), api_base_url=site)
        (shown,) = client.announcements()
        client.announcement_dismiss(shown)
        assert client.announcements() == []
    assert (shown.id, shown.content) == (str(announcement.pk), "<p>We move on Sunday</p>")


def test_an_app_reads_its_credentials_and_revokes_its_token(site, alice):
    client = logged_in(site, alice)
    assert client.app_verify_credentials().name == "A client"
    result = client.oauth_authorization_server_info()
    assert result.token_endpoint == f"{site}/oauth/token"
    assert result.code_challenge_methods_supported == ["S256"]
    token = client.persistable_login_credentials().split("\n")[0]
    second_client = Mastodon(access_token=token, api_base_url=site)
    assert second_client.me().username == "alice"
    client.revoke_access_token(allow_http=True)
    with pytest.raises(MastodonUnauthorizedError):
        second_client.me()


def test_method_aliases_return_the_same_statuses(client, alice):
    posts = [publish(alice, f"#cats {number}") for number in range(3)][::-1]
    for statuses in (
        client.timeline("home"),
        client.timeline_local(),
        client.search("#cats").statuses,
        list(client.pagination_iterator(client.timeline_home(limit=1))),
    ):
        assert [int(status.id) for status in statuses] == posts
    pages = client.pagination_page_iterator(client.timeline_home(limit=2))
    assert [len(page) for page in pages if page] == [2, 1]
    assert client.trends() == []
    status = client.toot("Short")
    assert client.status_card(status) in (None, {})
