"""The tests call every method of Mastodon.py or name a reason to leave it out.

Requests for unsupported features get an error message.
"""

import ast
import inspect
from pathlib import Path

import pytest
from mastodon import Mastodon, MastodonAPIError, MastodonNotFoundError

from tests.api.api_client import token_of
from tests.factories import follow, publish

LEFT_OUT = {
    "Mastodon has removed it": "follows list reports search_v1",
    "the site has no collections, annual reports or later features": (
        "account_collections account_in_collections annual_report annual_report_generate"
        " annual_report_read annual_report_state annual_reports await_async_refresh collection"
        " collection_create collection_delete collection_item_add collection_item_delete"
        " collection_item_revoke collection_update get_async_refresh_info get_async_refresh_status"
    ),
    "the site has no blurred previews and no reactions to announcements": (
        "announcement_reaction_create announcement_reaction_delete decode_blurhash"
    ),
    "the site is not federated": (
        "admin_create_domain_allow admin_create_domain_block admin_delete_domain_allow"
        " admin_delete_domain_block admin_domain_allow admin_domain_allows admin_domain_blocks"
        " admin_update_domain_block"
    ),
    "the site does it in the admin": (
        "admin_approve_trending_link admin_approve_trending_status admin_approve_trending_tag"
        " admin_canonical_email_block admin_canonical_email_blocks"
        " admin_create_canonical_email_block admin_create_email_domain_block"
        " admin_create_ip_block admin_delete_canonical_email_block"
        " admin_delete_email_domain_block admin_delete_ip_block admin_dimensions"
        " admin_email_domain_block admin_email_domain_blocks admin_ip_block admin_ip_blocks"
        " admin_measures admin_reject_trending_link admin_reject_trending_status"
        " admin_reject_trending_tag admin_retention admin_test_canonical_email_block"
        " admin_trending_links admin_trending_statuses admin_trending_tags admin_update_ip_block"
    ),
    "the site does it on its pages": "email_resend_confirmation profile profile_update",
    "it only works over HTTPS": "oauth_userinfo",
    "it sends no request": (
        "clear_caches filters_apply get_pagination_info get_status_length get_supported_version"
        " set_language"
    ),
}


def test_every_method_is_called_or_left_out_for_a_reason():
    methods = {
        name
        for name, _function in inspect.getmembers(Mastodon, inspect.isfunction)
        if not name.startswith("_")
    }
    called = {
        node.attr
        for path in Path(__file__).parent.glob("test_mastodon_py*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
    }
    left_out = set(" ".join(LEFT_OUT.values()).split())
    assert methods - called == left_out & methods
    assert left_out <= methods
    assert len(methods - left_out) > 200


@pytest.fixture
def client(site, alice):
    return Mastodon(access_token=token_of(alice), api_base_url=site, version_check_mode="none")


def test_unsupported_endpoints_are_not_found(client, alice):
    post = publish(alice)
    for request in (
        lambda: client.status_translate(post),
        lambda: client.featured_tag_delete(1),
        lambda: client.status_quote_revoke(post, post),
    ):
        with pytest.raises(MastodonNotFoundError):
            request()


def test_unsupported_actions_are_rejected_or_return_empty_values(client, alice, bob):
    follow(alice, bob)
    post = publish(bob)
    with pytest.raises(MastodonAPIError, match="here"):
        client.domain_block("example.org")
    assert client.account_endorse(bob.pk).endorsed
    assert not client.account_unendorse(bob.pk).endorsed
    client.domain_unblock("example.org")
    assert client.domain_blocks() == []
    assert client.status_quotes(post) == []
    assert [account.username for account in client.account_following(alice.pk)] == ["bob"]
    old = client.filter_create("dog", ["home"])
    assert client.filter(old).phrase == "dog"
