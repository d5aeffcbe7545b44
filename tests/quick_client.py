"""Two shortcuts of Django's test client, because most tests create clients and log in."""

from typing import Any

from django.conf import UserSettingsHolder, settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.core.handlers.base import BaseHandler
from django.test import Client
from django.test.client import ClientHandler
from django.utils.crypto import get_random_string

from accounts.infra.store.connection import collection
from accounts.models import User
from accounts.session_store import SessionStore

_log_in = Client.force_login


def install() -> None:
    """Use the shortcuts in all tests of this process."""
    Client.force_login = insert_session  # type: ignore[method-assign]
    ClientHandler.load_middleware = share_middleware  # type: ignore[method-assign]


def insert_session(client: Client, user: User, backend: str | None = None) -> None:
    """Insert a session with one command instead of ten, if the client has no session yet.

    No signal is sent. The list of the user's sessions gets its row with the first request.
    """
    if settings.SESSION_COOKIE_NAME in client.cookies:
        _log_in(client, user, backend)
        return
    session = SessionStore()
    content = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: backend or settings.AUTHENTICATION_BACKENDS[0],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    document = {
        "session_key": get_random_string(32, VALID_KEY_CHARS),
        "session_data": session.encode(content),
        "expire_date": session.get_expiry_date(),
    }
    collection("django_session").insert_one(document)
    client.cookies[settings.SESSION_COOKIE_NAME] = document["session_key"]


_loaded: dict[str, Any] = {}


def share_middleware(handler: ClientHandler) -> None:
    """Load the middleware once in a process, except in tests that change settings."""
    if isinstance(settings._wrapped, UserSettingsHolder):
        BaseHandler.load_middleware(handler)
    elif _loaded:
        vars(handler).update(_loaded)
    else:
        BaseHandler.load_middleware(handler)
        _loaded.update(
            (name, value) for name, value in vars(handler).items() if "middleware" in name
        )
