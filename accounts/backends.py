"""Authentication backend that lets inactive users log in.

Suspended users must be able to see the reason. Deactivated users reactivate their account by logging in.
``inactive_users`` restricts what inactive users can do. Permission checks and the admin reject inactive
users by themselves.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend as AllauthBackend

from .models import User
from .store import sessions


class AuthenticationBackend(AllauthBackend):
    def user_can_authenticate(self, user: Any) -> bool:
        return True

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session, without the ORM's time to compile a query."""
        document = sessions.find_user(uid=user_id)
        return None if document is None else sessions.instance_of(User, document)
