"""Who may log in: everybody with an account, also those who are not active.

A person who is suspended must learn it, and one who went away comes back by logging in. What they may do
then is little (``confinement``); permissions and the admin ask ``is_active`` themselves.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend as AllauthBackend


class AuthenticationBackend(AllauthBackend):
    def user_can_authenticate(self, user: Any) -> bool:
        return True
