"""Accounts with Mastodon.py: search, relationships, lists of users, the profile and sign-up."""

import io

import pytest
from mastodon import Mastodon, MastodonAPIError, MastodonIllegalArgumentError, MastodonNotFoundError
from PIL import Image

from accounts.models import User
from accounts.services.profiles import set_private
from feed.services.tags import feature_tag
from tests.api.api_client import token_of
from tests.factories import follow, people, publish

from .test_mastodon_py import SCOPES

VERSION_OPTIONS = {"mastodon_version": "4.6.1", "version_check_mode": "none"}
"""Keeps the client from requesting the version of the site."""


@pytest.fixture
def client(site: str, alice: User) -> Mastodon:
    token = token_of(alice, " ".join(SCOPES))
    return Mastodon(access_token=token, api_base_url=site, **VERSION_OPTIONS)


def names(result):
    return [status.username for status in result]


def test_users_and_their_posts_are_found(client, alice, bob):
    post = publish(bob, "A word about #cats")
    shown = client.account(bob.pk)
    assert (shown.username, shown.statuses_count) == ("bob", 1)
    assert client.account_lookup("bob").id == shown.id
    assert names(client.accounts([bob.pk, alice.pk])) == ["bob", "alice"]
    assert names(client.account_search("bo")) == ["bob"]
    assert [status.id for status in client.account_statuses(bob.pk)] == [str(post)]
    assert client.account_statuses(bob.pk, only_media=True) == []
    feature_tag(author=bob.pk, name="cats")
    (featured,) = client.account_featured_tags(bob.pk)
    assert (featured.name, int(featured.statuses_count)) == ("cats", 1)
    assert client.endorsements() == []
    assert client.account_lists(bob.pk) == []
    result = client.search_v2("cats")
    assert [hashtag.name for hashtag in result.hashtags] == ["cats"]
    assert [status.id for status in result.statuses] == [str(post)]
    assert names(client.search_v2("bo", result_type="accounts").accounts) == ["bob"]
    assert names(client.directory()) == ["bob", "alice"]
    with pytest.raises(MastodonNotFoundError):
        client.account(1)


def test_relationships_are_changed(client, alice, bob, carol):
    assert client.account_follow(bob.pk, reblogs=False).showing_reblogs is False
    assert client.account_follow(bob.pk).following
    (relationship,) = client.account_relationships(bob.pk)
    assert relationship.showing_reblogs
    assert not relationship.followed_by
    assert not client.account_mute(bob.pk, notifications=False).muting_notifications
    assert client.account_mute(bob.pk, duration=60).muting_notifications
    (muted,) = client.mutes()
    assert muted.mute_expires_at.tzinfo
    assert not client.account_unmute(bob.pk).muting
    follow(bob, carol)
    assert names(client.suggestions()) == names(client.suggestions_v1()) == ["carol"]
    (suggested,) = client.suggestions_v2()
    assert suggested.account.username == "carol"
    client.suggestion_delete(carol.pk)
    assert client.suggestions() == []
    (familiar,) = client.account_familiar_followers(carol.pk)
    assert names(familiar.accounts) == ["bob"]
    assert not client.account_unfollow(bob.pk).following
    follow(bob, alice)
    assert not client.account_remove_from_followers(bob.pk).followed_by
    assert client.account_block(bob.pk).blocking
    assert names(client.blocks()) == ["bob"]
    assert not client.account_unblock(bob.pk).blocking
    assert client.account_note_set(bob.pk, "Met in May").note == "Met in May"
    client.account_follow(bob.pk)
    assert client.account_pin(bob.pk).endorsed
    assert names(client.endorsements()) == ["bob"]
    assert not client.account_unpin(bob.pk).endorsed
    assert client.domain_blocks() == []
    with pytest.raises(MastodonAPIError):
        client.account_follow(alice.pk)


def test_follow_requests_are_accepted_and_rejected(client, alice, bob, carol):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    follow(carol, alice)
    assert names(client.follow_requests()) == ["carol", "bob"]
    assert client.follow_request_authorize(bob.pk).followed_by
    assert not client.follow_request_reject(carol.pk).followed_by
    assert names(client.account_followers(alice.pk)) == ["bob"]


def test_lists_of_users_are_paged_in_both_directions(client, bob):
    others = people(5)
    for other in others:
        follow(other, bob)
    first = client.account_followers(bob.pk, limit=2)
    assert names(client.fetch_remaining(first)) == [other.username for other in reversed(others)]
    second = client.fetch_next(first)
    assert names(client.fetch_previous(second)) == names(first)
    result = client.account_search("p", limit=2)
    assert names(client.fetch_next(result)) == ["p2", "p3"]


def test_the_profile_is_changed(client, alice):
    picture = io.BytesIO()
    Image.new("RGB", (20, 20), "blue").save(picture, "PNG")
    before = client.me().avatar
    changed = client.account_update_credentials(
        display_name="Al",
        note="Hello",
        locked=True,
        discoverable=False,
        avatar=picture.getvalue(),
        avatar_mime_type="image/png",
    )
    changed_again = client.account_update_credentials(
        fields=[("Website", "https://example.org"), ("Pronouns", "she/her")],
        bot=True,
        header=picture.getvalue(),
        header_mime_type="image/png",
    )
    assert [field.name for field in changed_again.fields] == ["Website", "Pronouns"]
    assert changed_again.bot
    assert changed_again.header != changed.header
    assert (changed.display_name, changed.source.note, changed.locked) == ("Al", "Hello", True)
    assert changed.avatar != before
    assert client.account_delete_avatar().avatar == before
    assert client.account_delete_header().header == changed.header
    assert client.preferences()["posting:default:visibility"] == "public"


def test_a_user_signs_up(site):
    client_id, secret = Mastodon.create_app("New", api_base_url=site, scopes=SCOPES)
    client = Mastodon(
        client_id=client_id, client_secret=secret, api_base_url=site, **VERSION_OPTIONS
    )
    new = {"username": "dora", "password": "a long enough secret", "email": "dora@example.org"}
    with pytest.raises(MastodonIllegalArgumentError):
        client.create_account(**new, scopes=SCOPES)
    token, error = client.create_account(
        **{**new, "username": "a b"}, agreement=True, scopes=SCOPES, return_detailed_error=True
    )
    assert token is None
    assert [status.error for status in error.details.username] == ["ERR_INVALID"]
    client.create_account(**new, agreement=True, scopes=SCOPES)
    assert client.me().username == "dora"
