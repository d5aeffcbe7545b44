"""Moderators, and something that was reported."""

import pytest
from django.contrib.auth.models import Group

from socialsite.moderation.roles import ADMINISTRATORS, MODERATORS, create_roles
from tests.factories import UserFactory

from .desk import Desk


@pytest.fixture
def roles(clean_site):
    create_roles()


def _with_role(username, role):
    user = UserFactory(username=username, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


@pytest.fixture
def moderator(roles):
    return _with_role("mo", MODERATORS)


@pytest.fixture
def administrator(roles):
    return _with_role("ada", ADMINISTRATORS)


@pytest.fixture
def desk(client, moderator):
    """What the moderator does in the admin."""
    client.force_login(moderator)
    return Desk(client)
