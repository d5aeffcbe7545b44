"""The key with which the site signs push requests (VAPID, RFC 8292), and browsers' encryption keys."""

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
    """The text is not a valid key."""


def is_push_enabled() -> bool:
    """Return whether this site has a web push key."""
    return bool(settings.WEB_PUSH_PRIVATE_KEY)


def new_private_key() -> str:
    number = ec.generate_private_key(CURVE).private_numbers().private_value
    return _encode(number.to_bytes(SECRET_SIZE, "big"))


def parse_private_key(*, text: str) -> ec.EllipticCurvePrivateKey:
    """Parse 32 bytes in base64url. Raises InvalidKey."""
    secret = int.from_bytes(_decode(text, SECRET_SIZE), "big")
    try:
        return ec.derive_private_key(secret, CURVE)
    except ValueError as error:
        raise InvalidKey(str(error)) from error


def public_key(*, private: str) -> str:
    """Return the public key in base64url, as browsers expect. Raises InvalidKey."""
    public = parse_private_key(text=private).public_key()
    return _encode(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def clean_public_key(*, text: str) -> str:
    """Return a browser's public key without padding. Raises InvalidKey if the key is not on the curve."""
    point = _decode(text, POINT_SIZE)
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    except ValueError as error:
        raise InvalidKey(str(error)) from error
    return _encode(point)


def clean_auth_secret(*, text: str) -> str:
    """Return a browser's auth secret without padding. Raises InvalidKey."""
    return _encode(_decode(text, AUTH_SIZE))


def _decode(text: str, size: int) -> bytes:
    bare = text.rstrip("=")
    # Check the text first, because the decoder ignores invalid characters and accepts misplaced padding.
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", bare) or len(text) - len(bare) > 2:
        raise InvalidKey("This is not base64url.")
    try:
        content = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except ValueError as error:
        raise InvalidKey(str(error)) from error
    if len(content) != size:
        raise InvalidKey(f"Expected {size} bytes, got {len(content)}.")
    return content


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
