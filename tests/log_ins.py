"""Sessions of users who have just confirmed who they are, without the pages for it."""

import time

from django.test import Client

from accounts.models import User


def confirm_log_in(client: Client, *, seconds_ago: float = 0) -> None:
    """Note in the client's session that its user typed the password so long ago."""
    session = client.session
    record = {"method": "password", "at": time.time() - seconds_ago, "reauthenticated": True}
    session["account_authentication_methods"] = [record]
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    session.save()


def log_in(client: Client, user: User) -> None:
    client.force_login(user)
    confirm_log_in(client)
