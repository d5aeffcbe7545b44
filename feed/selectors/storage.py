"""How much of the storage for pictures and clips a user has left."""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import Sum
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from feed.models import Picture

LOW_SHARE = 0.1
"""Storage is low if less than this share of it is left."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage of a user, in bytes."""

    limit: int
    used: int

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def is_low(self) -> bool:
        return self.left < LOW_SHARE * self.limit

    def __str__(self) -> str:
        return _("Storage: %(left)s of %(limit)s left.") % {
            "left": filesizeformat(self.left),
            "limit": filesizeformat(self.limit),
        }


def storage_of(*, owner: int) -> Storage | None:
    """Return the storage of a user, None if the site has no limit. One command.

    The files of deleted posts do not count, even before cleanup has deleted them.
    """
    if not settings.STORAGE_QUOTA_MB:
        return None
    pictures = Picture.objects.filter(owner=owner).exclude(post=Picture.DELETED_POST)
    used = pictures.aggregate(used=Sum("stored_bytes"))["used"]
    return Storage(limit=settings.STORAGE_QUOTA_MB * 2**20, used=used or 0)
