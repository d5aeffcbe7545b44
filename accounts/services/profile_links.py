"""Verify the links in profile fields: the linked page must link back to the profile with ``rel="me"``.

A field whose whole content is an HTTPS address is checked soon after a change of the profile, then every
``RECHECK_INTERVAL``, and earlier if the page could not be fetched. It stays verified until a check finds no
link back, or until the page could not be fetched ``MAX_FAILURES`` times.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.utils import timezone

from accounts.infra import rate_limits
from accounts.infra.paths import path_for
from accounts.infra.transactions import transactional
from accounts.infra.web_pages.addresses import UnusableUrl, parse_web_url
from accounts.infra.web_pages.fetcher import FetchFailed, fetch
from accounts.infra.web_pages.html_tags import decode_html, tags_in
from accounts.models import User
from accounts.store import users
from accounts.user_cards import ProfileField

StoredField = dict[str, Any]

HTML_TYPES = ("text/html", "application/xhtml+xml")
MAX_PAGE_BYTES = 1_000_000
RECHECK_INTERVAL = timedelta(days=30)
FAILURE_INTERVAL = timedelta(days=1)
"""When a page that could not be fetched is checked again."""

MAX_FAILURES = 3
CLAIM_DURATION = timedelta(minutes=5)
"""When the next worker checks the links, if a worker dies."""

BATCH_SIZE = 200


def changed_fields(*, old: Sequence[StoredField], new: Sequence[ProfileField]) -> list[StoredField]:
    """Return the fields to store. A field that keeps its content stays verified."""
    known = {field["value"]: field for field in old}
    return [
        {**known.get(field.value, {}), "name": field.name, "value": field.value} for field in new
    ]


def check_due_at(*, profile_fields: Sequence[StoredField]) -> datetime | None:
    """Return the time of the next check after a change: now, or None if there is no link."""
    has_link = any(link_in(value=field["value"]) for field in profile_fields)
    return timezone.now() if has_link else None


def link_in(*, value: str) -> str:
    """Return the address that can be verified if it is the whole content of a field, else ""."""
    try:
        url = parse_web_url(value)
    except UnusableUrl:
        return ""
    return str(url) if url.scheme == "https" and " " not in value else ""


def claim_due_users() -> list[int]:
    """Return the uids of users whose links this process must check now."""
    now = timezone.now()
    return [
        uid
        for uid in users.uids_with_due_links(now=now, limit=BATCH_SIZE)
        if users.postpone_links(uid=uid, now=now, until=now + CLAIM_DURATION)
    ]


def verify_links(*, uid: int) -> None:
    """Check the links of a user, and save which of them are verified. Safe to repeat."""
    user = User.objects.filter(pk=uid, is_active=True).first()
    if user is None or user.links_due_at is None or not settings.FETCH_LINKS:
        return
    if user.links_due_at > timezone.now() + CLAIM_DURATION:
        return  # another task has checked the links meanwhile
    # A page may be linked twice.
    urls = {link_in(value=field["value"]) for field in user.profile_fields} - {""}
    results: dict[str, bool | None] = {}
    due_at: datetime | None = None
    try:
        for url in urls:
            with rate_limits.limited_fetch(uid=uid, url=url):
                results[url] = links_back(url=url, username=user.username)
    except rate_limits.RateLimited as error:
        due_at = timezone.now() + timedelta(seconds=error.retry_after)
    _save_results(uid, user.username, results, due_at)


def links_back(*, url: str, username: str) -> bool | None:
    """Return whether the page links to the profile with ``rel="me"``. None if it cannot be fetched."""
    try:
        page = fetch(url=url, content_types=HTML_TYPES, max_bytes=MAX_PAGE_BYTES, for_owner=True)
    except FetchFailed as error:
        return False if error.status in (200, 302, 404, 410) else None
    return any(
        _is_profile(_join(page.url, tag.get("href")), username)
        for tag in tags_in(decode_html(page=page))
        if tag.name in ("a", "link") and "me" in tag.words("rel")
    )


def _join(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""


def _is_profile(url: str, username: str) -> bool:
    path = path_for("profile", username).rstrip("/")
    return url.partition("#")[0].rstrip("/").lower() == f"{settings.SITE_URL}{path}".lower()


@transactional()
def _save_results(
    uid: int, username: str, results: dict[str, bool | None], due_at: datetime | None
) -> None:
    """Save the results for fields that still have the checked content.

    Args:
        due_at: time of the next check, None to derive it from the results.
    """
    user = User.objects.filter(pk=uid).first()
    if user is None or user.username != username:
        return
    now = timezone.now()
    user.profile_fields = [
        _with_result(field, results.get(link_in(value=field["value"]), ...), now)
        for field in user.profile_fields
    ]
    links = {link_in(value=field["value"]) for field in user.profile_fields} - {""}
    if due_at is None and links:
        has_failures = any(field.get("failures") for field in user.profile_fields)
        due_at = now + (FAILURE_INTERVAL if has_failures else RECHECK_INTERVAL)
        if not results.keys() >= links:
            due_at = now
    user.links_due_at = due_at if links else None
    user.save(update_fields=["profile_fields", "links_due_at"])


def _with_result(field: StoredField, result: Any, now: datetime) -> StoredField:
    """Return a field with the result of its check. ``...``: it was not checked."""
    if result is ...:
        return field
    plain = {"name": field["name"], "value": field["value"]}
    verified_at, failures = field.get("verified_at", ""), field.get("failures", 0) + 1
    if result:
        return {**plain, "verified_at": verified_at or now.isoformat()}
    if result is None and failures < MAX_FAILURES:
        return {**plain, "verified_at": verified_at, "failures": failures}
    return plain
