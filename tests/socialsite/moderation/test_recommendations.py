"""Moderators recommend users, who then appear in suggestions."""

import pytest
from django.core.cache import cache
from django.core.exceptions import PermissionDenied

from accounts.selectors.suggestions import Reason
from accounts.services.profiles import set_private
from feed.selectors.people import suggested_people
from socialsite.moderation.models import AuditEntry
from socialsite.moderation.services.recommendations import recommend_users

USERS = "/admin/accounts/user/"


def recommended(viewer):
    cache.clear()
    return [
        suggestion.card.username
        for suggestion in suggested_people(viewer=viewer.pk, limit=10)
        if suggestion.reason is Reason.RECOMMENDED
    ]


def test_moderators_recommend_selected_users_and_stop(moderator_client, moderator, alice, bob):
    for _twice in range(2):
        data = {"action": "recommend", "_selected_action": [bob.pk]}
        assert moderator_client.client.post(USERS, data).status_code == 302
        assert recommended(alice) == ["bob"]
    page = moderator_client.client.get(f"{USERS}?is_recommended__exact=1").content.decode()
    assert "bob" in page
    assert "alice" not in page
    moderator_client.client.post(
        USERS, {"action": "stop_recommending", "_selected_action": [bob.pk]}
    )
    assert recommended(alice) == []
    entries = AuditEntry.objects.order_by("pk").values_list("actor", "verb", "user_id")
    assert list(entries) == [
        (moderator.pk, "recommend", bob.pk),
        (moderator.pk, "stop_recommending", bob.pk),
    ]


def test_nobody_recommends_themselves_and_private_users_are_not_suggested(
    moderator_client, moderator, alice, bob
):
    data = {"action": "recommend", "_selected_action": [moderator.pk, bob.pk]}
    moderator_client.client.post(USERS, data)
    assert recommended(alice) == ["bob"]
    set_private(uid=bob.pk, is_private=True)
    assert recommended(alice) == []


def test_users_without_the_role_cannot_recommend(client, alice, bob):
    client.force_login(alice)
    client.post(USERS, {"action": "recommend", "_selected_action": [bob.pk]})
    with pytest.raises(PermissionDenied):
        recommend_users(moderator=alice, uids=[bob.pk], is_recommended=True)
    assert recommended(alice) == []
    assert not AuditEntry.objects.exists()
