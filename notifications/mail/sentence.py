"""One notification in a mail, from the template that says it on the page.

Of the page's markup only what mail programs understand is kept, and every address is made a whole one. The
text is read off the same markup, so that both versions of a mail say the same.
"""

from dataclasses import dataclass, replace
from html import escape
from html.parser import HTMLParser
from urllib.parse import urljoin

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from accounts.infra.plain_text import DIRECTION_CONTROLS
from notifications.selectors.notification_views import NotificationView

ALLOWED_TAGS = {"a", "b", "strong", "em", "i", "bdi", "q"}
REMOVED_TAGS = {
    "form",
    "button",
    "svg",
    "script",
    "style",
    "template",
    "select",
    "textarea",
    "details",
}
"""With all that is in them: in a mail there is nothing to press but links."""

VOID_TAGS = {"br", "hr", "img", "input", "link", "meta", "wbr", "source"}
MAX_TEXT_LENGTH = 280
MAX_EXCERPT_LENGTH = 140


@dataclass(frozen=True, slots=True)
class Sentence:
    """``words``: what was said, or the beginning of the post that it is about; "" if neither."""

    html: SafeString
    text: str
    quote: str
    url: str


def render_sentence(*, notification: NotificationView) -> Sentence:
    notification = _without_hidden_words(notification)
    reader = _Reader()
    reader.feed(render_to_string(notification.kind.template, {"one": notification}))
    reader.close()
    return Sentence(
        html=mark_safe("".join(reader.html).strip()),  # noqa: S308 - escaped piece by piece
        text=_line("".join(reader.text)),
        quote=_words(notification),
        url=urljoin(settings.SITE_URL, notification.url),
    )


def _without_hidden_words(one: NotificationView) -> NotificationView:
    """What is behind a warning stays there, and so does what is said about it."""
    if one.post is None or not one.post.content_warning:
        return one
    return replace(one, post=replace(one.post, text=""), text="")


def _words(one: NotificationView) -> str:
    if one.text:
        return _line(Truncator(one.text).chars(MAX_TEXT_LENGTH))
    return _line(Truncator(one.post.excerpt).chars(MAX_EXCERPT_LENGTH)) if one.post else ""


def _line(text: str) -> str:
    return " ".join(DIRECTION_CONTROLS.sub("", text).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.html: list[str] = []
        self.text: list[str] = []
        self._left_out: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID_TAGS:
            self.handle_data(" ")
        elif self._left_out or tag in REMOVED_TAGS or _is_hidden(dict(attrs)):
            self._left_out.append(tag)
        elif tag in ALLOWED_TAGS:
            self.html.append(f"<{tag}{_address(dict(attrs)) if tag == 'a' else ''}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._left_out:
            while self._left_out.pop() != tag:
                """Tags inside it that nobody has closed."""
        elif tag in ALLOWED_TAGS and not self._left_out:
            self.html.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self.html.append(escape(data))
            self.text.append(data)


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").split()
    return "visually-hidden" in classes or attributes.get("aria-hidden") == "true"


def _address(attributes: dict[str, str | None]) -> str:
    url = urljoin(settings.SITE_URL, attributes.get("href") or "")
    return f' href="{escape(url)}"' if url.startswith(("https://", "http://")) else ""
