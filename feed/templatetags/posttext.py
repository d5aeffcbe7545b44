"""How a post's plain text and its age look on a page."""

import re
from datetime import datetime

from django import template
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from linkify_it import LinkifyIt

from accounts import usernames

register = template.Library()

SHOWN_URL = 32
MENTION = re.compile(rf"(?<![\w@/.])@({usernames.PATTERN})(?![\w@])")

_links = LinkifyIt(options={"fuzzy_email": False, "fuzzy_link": False, "fuzzy_ip": False})
for _schema in ("ftp:", "mailto:", "//"):
    _links.add(_schema, None)


@register.filter
def posttext(text: str) -> SafeString:
    """Plain text as HTML: escaped first and last, then addresses and mentions made links."""
    out: list[str] = []
    position = 0
    for match in _links.match(text) or []:
        out.append(_words(text[position : match.index]))
        out.append(_link(match.url))
        position = match.last_index
    out.append(_words(text[position:]))
    return mark_safe("".join(out))  # noqa: S308 - every part is escaped below


def _link(url: str) -> str:
    bare = re.sub(r"^https?://(www\.)?", "", url)
    shown = bare if len(bare) <= SHOWN_URL else bare[: SHOWN_URL - 1] + "…"
    return (
        f'<a href="{escape(url)}" rel="nofollow noopener ugc" title="{escape(url)}">'
        f"{escape(shown)}</a>"
    )


def _words(text: str) -> str:
    parts = MENTION.split(text)
    html: list[str] = [escape(parts[0])]
    for i in range(1, len(parts), 2):
        html += [_mention(parts[i]), escape(parts[i + 1])]
    return "".join(html).replace("\n", "<br>")


def _mention(name: str) -> str:
    if len(name) > usernames.MAX_LENGTH:
        return escape(f"@{name}")
    address = reverse("profile", args=[name.lower()])
    return f'<a href="{escape(address)}">@{escape(name)}</a>'


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
    return formats.date_format(local, "SHORT_DATE_FORMAT")
