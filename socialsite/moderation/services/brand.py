"""Save the name and look of the site."""

from collections.abc import Mapping
from typing import IO

from accounts.brand import logos
from accounts.brand.current import clear_brand_cache, stored_brand
from accounts.infra import rate_limits
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation.roles import require_permission

from . import audit_log

CHANGE_BRAND = "moderation.change_brand"
"""The permission that an administrator needs."""

BRAND_FIELDS = ("name", "description", "landing_text", "accent", "logo", "language")
MAX_LOGGED = 100
"""Maximum length of a value in the audit log."""


def prepare_logo(*, uid: int, upload: IO[bytes]) -> bytes:
    """Count the upload, then decode it and return the square, re-encoded picture.

    Raises BadPicture, RateLimited, and TryLater while the decoder is busy.
    """
    rate_limits.count_action(action="upload", subject=uid)
    return logos.square_logo(upload=upload)


def save_brand(*, editor: User, values: Mapping[str, str]) -> bool:
    """Save the fields of the brand. Return False if nothing changed. Raises PermissionDenied.

    This process shows the change at once, others within ``current.CACHE_SECONDS``.
    """
    require_permission(moderator=editor, permission=CHANGE_BRAND)
    is_changed = _save_row(editor, values)
    clear_brand_cache()
    logos.delete_unused_logos(current=values["logo"])
    return is_changed


@transactional()
def _save_row(editor: User, values: Mapping[str, str]) -> bool:
    row = stored_brand()
    changes = {name: values[name] for name in BRAND_FIELDS if getattr(row, name) != values[name]}
    if not changes:
        return False
    for name, value in changes.items():
        setattr(row, name, value)
    row.save()
    details = ", ".join(f"{name}: {value[:MAX_LOGGED]!r}" for name, value in changes.items())
    audit_log.record_event(actor=editor, event="change_brand", details=details)
    return True
