"""Client of push services: builds a message, with the sentence of mails, and sends it to one device.

Apps get Mastodon's format. Apps reject messages without the field ``access_token``. The field is empty,
because the site stores only digests of tokens.
"""

import base64
import json
import logging
import time
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import sha256

import requests
from django.conf import settings
from django.utils.http import parse_http_date
from django.utils.translation import get_language
from py_vapid import Vapid01, Vapid02
from pywebpush import WebPusher

from notifications.mail.sentence import render_sentence
from notifications.selectors.notification_views import NotificationView
from notifications.store.devices import Device
from notifications.store.rows import NotificationRow

from . import allowed_endpoints, keys

CONNECT_SECONDS, READ_SECONDS = 3.0, 7.0
SIGNATURE_SECONDS = 12 * 3600
"""How long a signature is valid. Push services accept at most a day."""

MAX_RETRY_AFTER = 3600.0
MAX_TITLE_BYTES = 300
MAX_BODY_BYTES = 1200
"""Push services accept encrypted messages of at most 4,096 bytes, with title, body and all other fields."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Message:
    """A push message. Push services keep only the last message of a ``topic``."""

    topic: str
    payload: bytes
    app_payload: bytes


def build_message(*, row: NotificationRow, notification: NotificationView) -> Message:
    """Build the message in the current language.

    For direct content, the message contains only the kind, because bystanders may see the screen.
    """
    if notification.is_direct:
        title, body, icon = str(notification.kind.label), "", ""
    else:
        sentence = render_sentence(notification=notification)
        title, body, actor = sentence.text, sentence.quote, notification.first_actor
        icon = settings.SITE_URL + actor.bitmap_avatar_url if actor else ""
    texts = {"title": _truncate(title, MAX_TITLE_BYTES), "body": _truncate(body, MAX_BODY_BYTES)}
    # A later message with the same tag replaces this message on the device.
    content = {**texts, "url": notification.url, "tag": row.key}
    app_content = {
        **texts,
        "preferred_locale": get_language(),
        "access_token": "",
        "notification_id": row.id,
        "notification_type": notification.kind.api_type,
        "icon": icon,
    }
    return Message(
        topic=base64.urlsafe_b64encode(sha256(row.key.encode()).digest())[:32].decode(),
        payload=json.dumps(content, ensure_ascii=False).encode(),
        app_payload=json.dumps(app_content, ensure_ascii=False).encode(),
    )


def _truncate(text: str, max_bytes: int) -> str:
    encoded = text.encode()
    return (
        text
        if len(encoded) <= max_bytes
        else encoded[: max_bytes - 3].decode(errors="ignore") + "…"
    )


class Outcome(Enum):
    """``FAILED`` if a retry may succeed, ``GONE`` if the device is permanently unreachable."""

    SENT = auto()
    GONE = auto()
    FAILED = auto()


def send_message(*, message: Message, device: Device, ttl_seconds: int) -> tuple[Outcome, float]:
    """Send a message. While the device is offline, the push service keeps it for ``ttl_seconds``.

    Return the outcome, and the ``Retry-After`` of the push service in seconds, or 0.
    """
    if not allowed_endpoints.is_allowed_endpoint(endpoint=device.endpoint):
        return Outcome.GONE, 0.0
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
        return Outcome.FAILED, 0.0


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


def _parse_response(response: requests.Response, device: Device) -> tuple[Outcome, float]:
    status = response.status_code
    if 200 <= status < 300:
        return Outcome.SENT, 0.0
    if 400 <= status < 500 and status != 429:
        if status not in (404, 410):
            origin = allowed_endpoints.endpoint_origin(endpoint=device.endpoint)
            logger.warning(
                "%s answered %s: removing a device of user %s", origin, status, device.owner
            )
        return Outcome.GONE, 0.0
    return Outcome.FAILED, _parse_retry_after(response.headers.get("Retry-After", ""))


def _parse_retry_after(text: str) -> float:
    """Parse ``Retry-After``: either a number of seconds or an HTTP date. Returns seconds."""
    try:
        seconds = float(text) if text.isdecimal() else parse_http_date(text) - time.time()
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, min(seconds, MAX_RETRY_AFTER))
