"""People who moderate, and what there is to moderate."""

import pytest
from django.contrib.auth.models import Group

from accounts.models import User
from socialsite.moderation import roles
from tests.factories import UserFactory


def staff(name: str, role: str) -> User:
    roles.prepare_roles()
    person: User = UserFactory(username=name, is_staff=True)
    person.groups.add(Group.objects.get(name=role))
    return person


@pytest.fixture
def mona(clean_site: None) -> User:
    """A moderator."""
    return staff("mona", roles.MODERATORS)


@pytest.fixture
def adam(clean_site: None) -> User:
    """An administrator."""
    return staff("adam", roles.ADMINISTRATORS)
