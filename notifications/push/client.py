"""Client of push services: sends one message to one device."""

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
"""How long a signature is valid. Push services accept at most a day."""

MAX_RETRY_AFTER = 3600.0
logger = logging.getLogger(__name__)


class Outcome(Enum):
    SENT = auto()
    GONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class PushResult:
    """The result of a request.

    Attributes:
        outcome: ``FAILED`` if a retry may succeed, ``GONE`` if the device is permanently unreachable.
        retry_after: the ``Retry-After`` of the push service in seconds, or 0.
    """

    outcome: Outcome
    retry_after: float = 0.0


def send_message(*, message: Message, device: Device, ttl_seconds: int) -> PushResult:
    """Send a message. While the device is offline, the push service keeps it for ``ttl_seconds``."""
    if not allowed_endpoints.is_allowed_endpoint(endpoint=device.endpoint):
        return PushResult(Outcome.GONE)
    subscription_keys = {"p256dh": device.p256dh, "auth": device.auth}
    pusher = WebPusher({"endpoint": device.endpoint, "keys": subscription_keys})
    payload = message.payload if device.app_alerts is None else message.app_payload
    headers = {
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl_seconds),
        "Topic": message.topic,
        "Urgency": "normal",
    }
    if device.app_alerts is None or device.app_alerts.is_standard:
        headers |= {"Content-Encoding": "aes128gcm", **_vapid_headers(device.endpoint, Vapid02)}
        body = pusher.encode(payload)["body"]
    else:
        encoded = pusher.encode(payload, content_encoding="aesgcm")
        body = encoded["body"]
        headers |= {
            "Content-Encoding": "aesgcm",
            "Encryption": f"salt={encoded['salt'].decode()}",
            **_vapid_headers(device.endpoint, Vapid01),
        }
        dh_parameter = f"dh={encoded['crypto_key'].decode()}"
        headers["Crypto-Key"] = f"{dh_parameter};{headers['Crypto-Key']}"
    try:
        # Do not follow redirects, which could lead to a host that is not allowed. Do not read the body.
        with requests.post(
            device.endpoint,
            data=body,
            headers=headers,
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            allow_redirects=False,
            stream=True,
        ) as response:
            return _parse_response(response, device)
    except requests.RequestException as error:
        logger.info("A push service could not be reached: %s", type(error).__name__)
        return PushResult(Outcome.FAILED)


def _vapid_headers(endpoint: str, scheme: type[Vapid01]) -> dict[str, str]:
    """Return the headers that identify the site to the push service (VAPID, RFC 8292).

    ``Vapid02`` follows the standard, ``Vapid01`` its first draft.
    """
    claims = {
        "aud": allowed_endpoints.endpoint_origin(endpoint=endpoint),
        "exp": int(time.time()) + SIGNATURE_SECONDS,
        "sub": settings.WEB_PUSH_CONTACT,
    }
    key = keys.parse_private_key(text=settings.WEB_PUSH_PRIVATE_KEY)
    headers: dict[str, str] = scheme(key).sign(claims)
    return headers


def _parse_response(response: requests.Response, device: Device) -> PushResult:
    status = response.status_code
    if 200 <= status < 300:
        return PushResult(Outcome.SENT)
    if 400 <= status < 500 and status != 429:
        if status not in (404, 410):
            origin = allowed_endpoints.endpoint_origin(endpoint=device.endpoint)
            logger.warning(
                "%s answered %s: removing a device of user %s", origin, status, device.owner
            )
        return PushResult(Outcome.GONE)
    return PushResult(Outcome.FAILED, _parse_retry_after(response.headers.get("Retry-After", "")))


def _parse_retry_after(text: str) -> float:
    """Parse ``Retry-After``: either a number of seconds or an HTTP date. Returns seconds."""
    try:
        seconds = float(text) if text.isdecimal() else _seconds_until(text)
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, min(seconds, MAX_RETRY_AFTER))


def _seconds_until(text: str) -> float:
    moment = parsedate_to_datetime(text)
    if moment.tzinfo is None:
        raise ValueError("The date has no time zone.")
    return (moment - timezone.now()).total_seconds()
