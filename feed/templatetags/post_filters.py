"""Template filters for the text and the age of posts."""

from collections.abc import Collection
from datetime import datetime

from django import template
from django.utils import formats, timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from feed.text import renderer

register = template.Library()


@register.filter
def post_html(text: str, dotted_usernames: Collection[str] = ()) -> SafeString:
    """Return the text as HTML with links. ``dotted_usernames``: as in ``rendering.to_html``."""
    html = renderer.to_html(text=text, dotted_usernames=dotted_usernames)
    return mark_safe(html)  # noqa: S308 - to_html escapes the text


@register.filter
def ago(moment: datetime) -> str:
    """Return the age in short form: "now", "5m", "3h", "2d", after a week the date."""
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
