"""How a post's plain text and its age look on a page."""

from collections.abc import Collection
from datetime import datetime

from django import template
from django.utils import formats, timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from feed.text import rendering

register = template.Library()


@register.filter
def post_html(text: str, names: Collection[str] = ()) -> SafeString:
    """Plain text as HTML, with its addresses, mentions and hashtags made links.

    ``names``: as in ``rendering.to_html``.
    """
    html = rendering.to_html(text=text, dotted_usernames=names)
    return mark_safe(html)  # noqa: S308 - escapes all that was typed


@register.filter
def ago(moment: datetime) -> str:
    """How long ago, as short as can be: "now", "5m", "3h", "2d", and then the date."""
    passed = (timezone.now() - moment).total_seconds()
    if passed < 60:
        return _("now")
    if passed < 3600:
        return _("%(count)dm") % {"count": passed // 60}
    if passed < 86_400:
        return _("%(count)dh") % {"count": passed // 3600}
    if passed < 7 * 86_400:
        return _("%(count)dd") % {"count": passed // 86_400}
    local = timezone.localtime(moment)
    if local.year == timezone.localtime().year:
        return formats.date_format(local, "MONTH_DAY_FORMAT")
    return formats.date_format(local, "DATE_FORMAT")
