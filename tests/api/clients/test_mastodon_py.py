"""Mastodon.py, a widely used client library, unmodified from PyPI."""

import pytest
from mastodon import Mastodon

from accounts.models import User
from tests.api.authorization import code_for

SCOPES = ["read", "write", "follow", "push"]


def logged_in(site: str, user: User) -> Mastodon:
    client_id, secret = Mastodon.create_app("A client", api_base_url=site, scopes=SCOPES)
    client = Mastodon(client_id=client_id, client_secret=secret, api_base_url=site)
    url = client.auth_request_url(scopes=SCOPES, allow_http=True)
    client.log_in(
        code=code_for(username=user.username, authorize_url=url, site=site),
        scopes=SCOPES,
        allow_http=True,
    )
    return client


@pytest.fixture
def client(site: str, alice: User) -> Mastodon:
    return logged_in(site, alice)


def test_the_client_logs_in_and_posts(client, alice):
    assert client.account_verify_credentials().username == "alice"
    result = client.status_post("Hello from a client", visibility="unlisted")
    assert client.status(result.id).content == "<p>Hello from a client</p>"
    assert [status.id for status in client.timeline_home()] == [result.id]
