"""Authentication backend that lets inactive users log in.

Suspended users must be able to see the reason. Deactivated users reactivate their account by logging in.
``inactive_users`` restricts what inactive users can do. Permission checks and the admin reject inactive
users by themselves.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend as AllauthBackend
from django.contrib.auth.models import Group, Permission
from django.db.models import QuerySet

from .models import User
from .store import users


class AuthenticationBackend(AllauthBackend):
    def user_can_authenticate(self, user: Any) -> bool:
        return True

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session, without the ORM's time to compile a query."""
        document = users.find_user(uid=user_id)
        return None if document is None else users.instance_of(User, document)

    def _get_user_permissions(self, user_obj: User) -> QuerySet[Permission]:
        """Read by id. Django's join would look at every permission of the site, and so for groups."""
        links = User.user_permissions.through.objects.filter(user_id=user_obj.pk)
        return Permission.objects.filter(pk__in=list(links.values_list("permission_id", flat=True)))

    def _get_group_permissions(self, user_obj: User) -> QuerySet[Permission]:
        groups = User.groups.through.objects.filter(user_id=user_obj.pk)
        links = Group.permissions.through.objects.filter(
            group_id__in=list(groups.values_list("group_id", flat=True))
        )
        return Permission.objects.filter(pk__in=list(links.values_list("permission_id", flat=True)))
