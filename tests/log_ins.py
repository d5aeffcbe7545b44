"""Log in users and confirm their log-ins without opening the log-in pages."""

import base64
import hmac
import struct
import time

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt
from django.test import Client

from accounts.models import User


def confirm_log_in(client: Client, *, seconds_ago: float = 0) -> None:
    """Record in the client's session that the user entered the password ``seconds_ago`` seconds ago."""
    session = client.session
    record = {"method": "password", "at": time.time() - seconds_ago, "reauthenticated": True}
    session["account_authentication_methods"] = [record]
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    session.save()


def log_in(client: Client, user: User) -> None:
    client.force_login(user)
    confirm_log_in(client)


def turn_on_two_factors(user: User) -> None:
    """Give the user an authenticator app and recovery codes."""
    for kind, data in (
        (Authenticator.Type.TOTP, {"secret": encrypt("JBSWY3DPEHPK3PXP")}),
        (Authenticator.Type.RECOVERY_CODES, {"seed": encrypt("0f" * 40), "used_mask": 0}),
    ):
        Authenticator.objects.create(user=user, type=kind, data=data)


def authenticator_code(secret: str, counter: int) -> str:
    """Return the six digits that an authenticator app shows. RFC 4226 defines the algorithm.

    Args:
        counter: number of half minutes since 1970.
    """
    key = base64.b32decode(secret, casefold=True)
    digest = hmac.digest(key, struct.pack(">Q", counter), "sha1")
    offset = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[offset : offset + 4])
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"
