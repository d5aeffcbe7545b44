"""Sends one message to one device, over its push service."""

import logging
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto

import requests
from django.conf import settings
from django.utils import timezone
from py_vapid import Vapid01, Vapid02
from pywebpush import WebPusher

from notifications.store.devices import Device

from . import allowed_endpoints, keys
from .messages import Message

CONNECT_SECONDS, READ_SECONDS = 3.0, 7.0
SIGNATURE_SECONDS = 12 * 3600
"""Seconds; a day is the most that push services take."""

MAX_RETRY_AFTER = 3600.0
logger = logging.getLogger(__name__)


class Outcome(Enum):
    SENT = auto()
    GONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class PushResult:
    """``GONE``: nothing can be sent there any more. ``wait``: seconds for which the service wants to hear
    nothing, 0 if it does not say."""

    outcome: Outcome
    retry_after: float = 0.0


def send_message(*, message: Message, device: Device, ttl_seconds: int) -> PushResult:
    """``seconds``: so long the push service keeps it for a device that is away."""
    if not allowed_endpoints.is_allowed_endpoint(endpoint=device.endpoint):
        return PushResult(Outcome.GONE)
    known = {"p256dh": device.p256dh, "auth": device.auth}
    pusher = WebPusher({"endpoint": device.endpoint, "keys": known})
    payload = message.payload if device.app_alerts is None else message.app_payload
    headers = {
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl_seconds),
        "Topic": message.topic,
        "Urgency": "normal",
    }
    if device.app_alerts is None or device.app_alerts.is_standard:
        headers |= {"Content-Encoding": "aes128gcm", **_signed(device.endpoint, Vapid02)}
        body = pusher.encode(payload)["body"]
    else:
        encoded = pusher.encode(payload, content_encoding="aesgcm")
        body = encoded["body"]
        headers |= {
            "Content-Encoding": "aesgcm",
            "Encryption": f"salt={encoded['salt'].decode()}",
            **_signed(device.endpoint, Vapid01),
        }
        own = f"dh={encoded['crypto_key'].decode()}"
        headers["Crypto-Key"] = f"{own};{headers['Crypto-Key']}"
    try:
        # Only the head of the answer is read, and a redirection is not followed: it could lead anywhere.
        with requests.post(
            device.endpoint,
            data=body,
            headers=headers,
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            allow_redirects=False,
            stream=True,
        ) as answer:
            return _meaning(answer, device)
    except requests.RequestException as error:
        logger.info("A push service could not be reached: %s", type(error).__name__)
        return PushResult(Outcome.FAILED)


def _signed(endpoint: str, scheme: type[Vapid01]) -> dict[str, str]:
    """``scheme``: ``Vapid02`` is that of the standard, ``Vapid01`` of its first draft."""
    claims = {
        "aud": allowed_endpoints.endpoint_origin(endpoint=endpoint),
        "exp": int(time.time()) + SIGNATURE_SECONDS,
        "sub": settings.WEB_PUSH_CONTACT,
    }
    key = keys.parse_private_key(text=settings.WEB_PUSH_PRIVATE_KEY)
    headers: dict[str, str] = scheme(key).sign(claims)
    return headers


def _meaning(answer: requests.Response, device: Device) -> PushResult:
    status = answer.status_code
    if 200 <= status < 300:
        return PushResult(Outcome.SENT)
    if 400 <= status < 500 and status != 429:
        if status not in (404, 410):
            where = allowed_endpoints.endpoint_origin(endpoint=device.endpoint)
            logger.warning("%s answered %s: a device of %s is removed", where, status, device.owner)
        return PushResult(Outcome.GONE)
    return PushResult(Outcome.FAILED, _wait(answer.headers.get("Retry-After", "")))


def _wait(text: str) -> float:
    """Seconds; it may be a moment, too."""
    try:
        wait = float(text) if text.isdecimal() else _until(text)
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, min(wait, MAX_RETRY_AFTER))


def _until(text: str) -> float:
    moment = parsedate_to_datetime(text)
    if moment.tzinfo is None:
        raise ValueError("It does not say whose clock.")
    return (moment - timezone.now()).total_seconds()
