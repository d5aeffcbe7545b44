"""One notification in a mail, rendered by the template of the page.

The parser drops markup that mail programs do not understand and makes links absolute. Both the HTML and the
plain text of a mail come from the same template, so they have the same content.
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
"""Tags that are removed with their content, because mails can contain only text and links."""

VOID_TAGS = {"br", "hr", "img", "input", "link", "meta", "wbr", "source"}
MAX_TEXT_LENGTH = 280
MAX_EXCERPT_LENGTH = 140


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. ``quote`` is the text of the comment or the beginning of the post, or ""."""

    html: SafeString
    text: str
    quote: str
    url: str


def render_sentence(*, notification: NotificationView) -> Sentence:
    notification = _without_hidden_text(notification)
    parser = _MailMarkupParser()
    parser.feed(render_to_string(notification.kind.template, {"notification": notification}))
    parser.close()
    return Sentence(
        html=mark_safe("".join(parser.html).strip()),  # noqa: S308 - escaped piece by piece
        text=_single_line("".join(parser.text)),
        quote=_quote(notification),
        url=urljoin(settings.SITE_URL, notification.url),
    )


def _without_hidden_text(notification: NotificationView) -> NotificationView:
    """Remove the text of a post with a content warning, and the text of comments on such a post."""
    if notification.post is None or not notification.post.content_warning:
        return notification
    row = replace(notification.post.row, text="")
    return replace(notification, post=replace(notification.post, row=row), text="")


def _quote(notification: NotificationView) -> str:
    if notification.text:
        return _single_line(Truncator(notification.text).chars(MAX_TEXT_LENGTH))
    return (
        _single_line(Truncator(notification.post.excerpt).chars(MAX_EXCERPT_LENGTH))
        if notification.post
        else ""
    )


def _single_line(text: str) -> str:
    return " ".join(DIRECTION_CONTROLS.sub("", text).split())


class _MailMarkupParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.html: list[str] = []
        self.text: list[str] = []
        self._skipped_tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID_TAGS:
            self.handle_data(" ")
        elif self._skipped_tags or tag in REMOVED_TAGS or _is_hidden(dict(attrs)):
            self._skipped_tags.append(tag)
        elif tag in ALLOWED_TAGS:
            self.html.append(f"<{tag}{_href(dict(attrs)) if tag == 'a' else ''}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped_tags:
            while self._skipped_tags.pop() != tag:
                pass  # drop tags that were not closed inside the skipped element
        elif tag in ALLOWED_TAGS and not self._skipped_tags:
            self.html.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._skipped_tags:
            self.html.append(escape(data))
            self.text.append(data)


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").split()
    return "visually-hidden" in classes or attributes.get("aria-hidden") == "true"


def _href(attributes: dict[str, str | None]) -> str:
    url = urljoin(settings.SITE_URL, attributes.get("href") or "")
    return f' href="{escape(url)}"' if url.startswith(("https://", "http://")) else ""
