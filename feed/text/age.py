"""The age of posts in words."""

from datetime import datetime

from django.utils import formats, timezone
from django.utils.translation import gettext as _


def ago(moment: datetime) -> str:
    """Return the age in short form: "now", "5m", "3h", "2d", or the date after a week."""
    seconds = (timezone.now() - moment).total_seconds()
    if seconds < 60:
        return _("now")
    if seconds < 3600:
        return _("%(count)dm") % {"count": seconds // 60}
    if seconds < 86_400:
        return _("%(count)dh") % {"count": seconds // 3600}
    if seconds < 7 * 86_400:
        return _("%(count)dd") % {"count": seconds // 86_400}
    local = timezone.localtime(moment)
    if local.year == timezone.localtime().year:
        return formats.date_format(local, "MONTH_DAY_FORMAT")
    return formats.date_format(local, "DATE_FORMAT")
