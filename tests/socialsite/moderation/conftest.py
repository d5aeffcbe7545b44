"""Fixtures: users with roles, and a client for the admin."""

from functools import cache

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from socialsite.moderation.roles import ADMINISTRATORS, MODERATORS, create_roles
from tests.factories import UserFactory

from .moderator_client import ModeratorClient


@cache
def _role_documents():
    """Create the roles. Return their documents by collection."""
    create_roles()
    names = ("auth_group", "auth_group_permissions")
    return {name: list(connection.database[name].find()) for name in names}


@pytest.fixture
def roles(clean_site):
    """Insert the roles with two database commands. ``create_roles`` reads all permissions."""
    is_new = not _role_documents.cache_info().currsize
    for collection, documents in _role_documents().items():
        if not is_new:
            connection.database[collection].insert_many(documents)


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
