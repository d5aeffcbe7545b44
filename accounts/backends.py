"""Authentication backend that lets inactive users log in.

Suspended users must be able to see why, and deactivated users reactivate their account by logging in.
``inactive_users`` restricts what they can do. Permissions and the admin check ``is_active`` themselves.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend as AllauthBackend


class AuthenticationBackend(AllauthBackend):
    def user_can_authenticate(self, user: Any) -> bool:
        return True
