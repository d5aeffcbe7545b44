"""The cache of access tokens: what it saves, and that no change of a token or its user comes too late."""

from types import SimpleNamespace

import pytest

from accounts.infra import process_cache
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors.access_tokens import find_access_token
from accounts.services.account_status import deactivate_account, suspend_user
from accounts.services.apps import revoke_all_apps
from accounts.services.profiles import update_profile
from tests.api.api_client import Api, token_of

pytestmark = pytest.mark.usefixtures("every_cache")

PATH = "timelines/home"


def test_a_second_request_reads_no_token(alice, record_commands):
    token = token_of(alice)
    counts = []
    for is_fresh in (False, False, True):
        with record_commands() as commands:
            assert find_access_token(token=token, is_fresh=is_fresh).user == alice
        counts.append(len(commands))
    assert counts == [1, 0, 1]


def test_every_request_gets_objects_of_its_own(alice):
    token = token_of(alice)
    first, second = (find_access_token(token=token, is_fresh=False) for _ in range(2))
    first.user.bio = "changed, not saved"
    assert second.user.bio != first.user.bio


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda user: revoke_all_apps(uid=user.pk), 401),
        (lambda user: AccessToken.objects.get().delete(), 401),
        (lambda user: suspend_user(uid=user.pk), 403),
        (lambda user: deactivate_account(uid=user.pk), 403),
        (lambda user: User.objects.get(pk=user.pk).delete(), 401),
    ],
    ids=["all apps revoked", "token deleted", "suspended", "deactivated", "deleted"],
)
def test_a_revoked_token_is_refused_at_once(alice, change, status):
    api = Api(alice)
    assert api.get(PATH).status_code == 200
    change(alice)
    assert api.get(PATH).status_code == status


def test_a_changed_profile_shows_at_once(alice):
    api = Api(alice)
    assert api.get("accounts/verify_credentials").json()["source"]["note"] == alice.bio
    update_profile(uid=alice.pk, display_name="Alice", bio="New")
    assert api.get("accounts/verify_credentials").json()["source"]["note"] == "New"


def test_a_change_by_another_process_is_seen_after_a_second_and_before_every_write(
    alice, monkeypatch
):
    now = 1000.0
    monkeypatch.setattr(process_cache, "time", SimpleNamespace(monotonic=lambda: now))
    api = Api(alice)
    assert api.get(PATH).status_code == 200
    # ``update`` sends no signals, so this process does not learn of the change, as if another process had
    # made it.
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert api.get(PATH).status_code == 200
    assert api.post("statuses", status="Hello").status_code == 403
    now += 1.1
    assert api.get(PATH).status_code == 403
