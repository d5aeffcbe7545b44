"""Fixtures: users with roles, and a client for the admin."""

import pytest
from django.contrib.auth.models import Group

from socialsite.moderation.roles import ADMINISTRATORS, MODERATORS, create_roles
from tests.factories import UserFactory

from .moderator_client import ModeratorClient


@pytest.fixture
def roles(clean_site):
    create_roles()


def _create_staff(username, role):
    user = UserFactory(username=username, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


@pytest.fixture
def moderator(roles):
    return _create_staff("mo", MODERATORS)


@pytest.fixture
def administrator(roles):
    return _create_staff("ada", ADMINISTRATORS)


@pytest.fixture
def moderator_client(client, moderator):
    """A client for the admin pages. A moderator is logged in."""
    client.force_login(moderator)
    return ModeratorClient(client)
