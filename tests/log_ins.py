"""Log in users and mark the log-in as confirmed, without using the pages for it."""

import time

from django.test import Client

from accounts.models import User


def confirm_log_in(client: Client, *, seconds_ago: float = 0) -> None:
    """Record in the client's session that the user entered the password ``seconds_ago``."""
    session = client.session
    record = {"method": "password", "at": time.time() - seconds_ago, "reauthenticated": True}
    session["account_authentication_methods"] = [record]
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    session.save()


def log_in(client: Client, user: User) -> None:
    client.force_login(user)
    confirm_log_in(client)
