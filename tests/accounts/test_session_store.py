"""Sessions and their users, which are read without the ORM."""

import hashlib
from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.backends import AuthenticationBackend
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors.access_tokens import find_access_token
from accounts.session_store import SessionStore
from tests.api.api_client import token_of


def test_a_user_has_the_same_fields_as_in_the_orm(alice):
    User.objects.filter(pk=alice.pk).update(
        last_login=timezone.now(), suspended_at=timezone.now(), bio="Hello", is_private=True
    )
    from_orm, user = User.objects.get(pk=alice.pk), AuthenticationBackend().get_user(alice.pk)
    fields = [field.attname for field in User._meta.concrete_fields]
    assert [getattr(user, name) for name in fields] == [getattr(from_orm, name) for name in fields]
    assert (user._state.adding, user._state.db) == (False, "default")
    user.bio = "Bye"
    user.save(update_fields=["bio"])
    assert User.objects.get(pk=alice.pk).bio == "Bye"


def test_deleted_users_are_not_found(alice):
    uid = alice.pk
    alice.delete()
    assert AuthenticationBackend().get_user(uid) is None


def test_a_session_is_read_until_it_expires(alice, client):
    client.force_login(alice)
    key = client.session.session_key
    assert SessionStore(key)["_auth_user_id"] == str(alice.pk)
    Session.objects.filter(pk=key).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert "_auth_user_id" not in SessionStore(key)
    assert client.get("/notifications/").status_code == 302


def test_an_unknown_session_is_empty():
    assert list(SessionStore("x" * 32).items()) == []
    assert list(SessionStore(None).items()) == []


def test_a_token_has_the_same_fields_as_in_the_orm(alice):
    token = token_of(alice)
    checksum = hashlib.sha256(token.encode()).hexdigest()
    from_orm = AccessToken.objects.get(token_checksum=checksum)
    access_token = find_access_token(token=token, is_fresh=True)
    fields = [field.attname for field in AccessToken._meta.concrete_fields]
    values = [[getattr(row, name) for name in fields] for row in (access_token, from_orm)]
    assert values[0] == values[1]
    assert access_token.user == alice
    assert find_access_token(token="unknown", is_fresh=True) is None
