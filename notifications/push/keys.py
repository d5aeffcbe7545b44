"""The site's own key, by which push services know who sends (VAPID, RFC 8292), and those of browsers."""

import base64
import re

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

CURVE = ec.SECP256R1()
SECRET_SIZE = 32
POINT_SIZE = 65
AUTH_SIZE = 16


class InvalidKey(ValueError):
    """This text is no key."""


def is_push_enabled() -> bool:
    """Whether this site sends anything to devices."""
    return bool(settings.WEB_PUSH_PRIVATE_KEY)


def new_private_key() -> str:
    number = ec.generate_private_key(CURVE).private_numbers().private_value
    return _text(number.to_bytes(SECRET_SIZE, "big"))


def parse_private_key(*, text: str) -> ec.EllipticCurvePrivateKey:
    """``text``: 32 bytes in base64url. Raises BadKey."""
    secret = int.from_bytes(_bytes(text, SECRET_SIZE), "big")
    try:
        return ec.derive_private_key(secret, CURVE)
    except ValueError as error:
        raise InvalidKey(str(error)) from error


def public_key(*, private: str) -> str:
    """As browsers want it. Raises BadKey."""
    public = parse_private_key(text=private).public_key()
    return _text(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def clean_public_key(*, text: str) -> str:
    """A browser's public key, without padding. Raises BadKey if it is not on the curve."""
    point = _bytes(text, POINT_SIZE)
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    except ValueError as error:
        raise InvalidKey(str(error)) from error
    return _text(point)


def clean_auth_secret(*, text: str) -> str:
    """A browser's secret, without padding. Raises BadKey."""
    return _text(_bytes(text, AUTH_SIZE))


def _bytes(text: str, size: int) -> bytes:
    bare = text.rstrip("=")
    # The decoder leaves out what it does not know, and would take the padding's place for anything.
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", bare) or len(text) - len(bare) > 2:
        raise InvalidKey("This is not base64url.")
    try:
        found = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except ValueError as error:
        raise InvalidKey(str(error)) from error
    if len(found) != size:
        raise InvalidKey(f"These are {len(found)} bytes, not {size}.")
    return found


def _text(found: bytes) -> str:
    return base64.urlsafe_b64encode(found).decode().rstrip("=")
