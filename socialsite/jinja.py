"""The Jinja2 environment that renders our templates (decision 0017).

Django's engine renders the admin and the pages of other packages.
"""

import re
import secrets
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.middleware.csrf import get_token
from django.template import defaultfilters
from django.template.backends import jinja2
from django.templatetags.static import static
from django.utils import formats, timezone, translation
from django.utils.functional import SimpleLazyObject
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from jinja2 import ChainableUndefined, Environment, pass_eval_context
from jinja2.ext import Extension
from jinja2.nodes import EvalContext
from markupsafe import Markup

from accounts.infra.paths import path_for
from accounts.infra.plain_text import join_names
from accounts.user_cards import UserCard
from feed.text import age, renderer

from .fragments import comment_item, fragment, post_item
from .markdown import markdown_to_html

CSRF_INPUT = '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
DEFAULT_ICON_SIZE, DEFAULT_AVATAR_SIZE = 20, 44
CONTINUATION = re.compile(r"\\\n[ \t]*")
INDENTATION = re.compile(r"\s*\n[ \t]+")
EXPRESSION = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
QUOTED = rf"""\"(?:{EXPRESSION}|[^"])*+"|'(?:{EXPRESSION}|[^'])*+'"""
HTML_TAG = re.compile(rf"""<[a-zA-Z](?:{EXPRESSION}|{QUOTED}|[^>"'])*+>""", re.DOTALL)
LAZY = Markup(' loading="lazy"')
TEXT_TYPES = frozenset({str, Markup, SafeString})
LOCALIZED_TYPES = (int, float, Decimal, date)


class Template(jinja2.Template):
    """A template whose context processors never replace a value of the view, as in Django's engine."""

    def render(
        self, context: Mapping[str, Any] | None = None, request: HttpRequest | None = None
    ) -> str:
        return str(self.template.render(self.full_context(context or {}, request)))

    def full_context(
        self, context: Mapping[str, Any], request: HttpRequest | None
    ) -> dict[str, Any]:
        """Return the context of the view, completed by the context processors."""
        if request is None:
            return dict(context)
        # One token for all forms of a page: each call of ``get_token`` masks the secret again.
        token = SimpleLazyObject(lambda: get_token(request))
        defaults: dict[str, Any] = {
            "request": request,
            "csrf_token": token,
            "csrf_input": SimpleLazyObject(lambda: format_html(CSRF_INPUT, token)),
        }
        for context_processor in self.backend.template_context_processors:
            defaults |= context_processor(request)
        return {**defaults, **context}


class Templates(jinja2.Jinja2):
    """The template engine of our own pages and mails."""

    def get_template(self, template_name: str) -> Template:
        return Template(super().get_template(template_name).template, self)


class WithoutIndentation(Extension):
    """Let templates be indented and wrapped without larger pages.

    - A backslash at the end of a line joins it with the next line, without the indentation.
    - In HTML templates, a line break with indentation becomes one space inside a tag, and a line
      break with one space elsewhere. The space keeps words apart, because ``trim_blocks`` removes
      the line break after a block.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        source = CONTINUATION.sub("", source)
        if not name or not name.endswith(".html"):
            return source
        source = HTML_TAG.sub(lambda tag: INDENTATION.sub(" ", tag[0]), source)
        return INDENTATION.sub("\n ", source)


def environment(**options: Any) -> Environment:
    """Return an environment with the functions and filters of our templates."""
    options |= {"undefined": ChainableUndefined}
    env = Environment(  # noqa: S701 - Django sets autoescape
        extensions=["jinja2.ext.i18n", WithoutIndentation],
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=localize,
        **options,
    )
    env.newstyle_gettext = True  # type: ignore[attr-defined]
    env.globals |= {
        "_": gettext,
        "avatar": avatar,
        "comment_item": comment_item,
        "fragment": fragment,
        "gettext": gettext,
        "ngettext": ngettext,
        "pgettext": pgettext,
        "npgettext": npgettext,
        "icon": icon,
        "idempotency_key": secrets.token_urlsafe,
        "icons": Icons(),
        "post_item": post_item,
        "get_language": translation.get_language,
        "is_right_to_left": translation.get_language_bidi,
        "languages": lambda: settings.LANGUAGES,
        "querystring": querystring,
        "static": cache(static),  # the addresses of files never change while a process runs
        "url_for": path_for,
    }
    env.filters |= {
        "ago": age.ago,
        "capfirst": defaultfilters.capfirst,
        "date": format_date,
        "field_html": field_html,
        "iso": iso_time,
        "join_names": join_names,
        "linebreaksbr": linebreaksbr,
        "localize": localize,
        "markdown": markdown_html,
        "post_html": post_html,
        "stamp": full_stamp,
        "timesince": defaultfilters.timesince_filter,
        "truncatechars": defaultfilters.truncatechars,
        "urlize": defaultfilters.urlize,
    }
    return env


def querystring(request: HttpRequest, **changes: object) -> str:
    """Return the query of the request with these parameters changed. The value None removes a parameter."""
    params: QueryDict = request.GET.copy()
    for name, value in changes.items():
        if value is None:
            params.pop(name, None)
        else:
            params[name] = str(value)
    return f"?{params.urlencode()}" if params else "?"


@cache
def icon(name: str, *, size: int = 22) -> Markup:
    """Return an icon of ``icons.css``. ``size``: width and height in pixels, one of those in that file.

    The element is empty, so screen readers skip it.
    """
    if size == DEFAULT_ICON_SIZE:
        return Markup('<i class="i-{}"></i>').format(name)
    return Markup('<i class="i-{} icon-{}"></i>').format(name, size)


class Icons:
    """Icons of the default size as attributes: ``icons.heart``. Templates read them faster than calls."""

    def __getattr__(self, name: str) -> Markup:
        if name.startswith("_"):
            raise AttributeError(name)
        markup = icon(name, size=DEFAULT_ICON_SIZE)
        setattr(self, name, markup)
        return markup


def avatar(card: UserCard, *, size: int = DEFAULT_AVATAR_SIZE, lazy: bool = False) -> Markup:
    """Return the picture of a user. With ``lazy``, browsers load the picture when it scrolls into view."""
    has_default_size = size == DEFAULT_AVATAR_SIZE  # from the style sheet
    dimensions = "" if has_default_size else Markup(' width="{0}" height="{0}"').format(size)
    return Markup('<img class="avatar" src="{}"{} alt=""{}>').format(
        card.avatar_url, dimensions, LAZY if lazy else ""
    )


def localize(value: Any) -> Any:
    """Return numbers and dates in the format of the language, other values unchanged."""
    # Most values are texts. This check is faster than ``isinstance`` with several types.
    if type(value) in TEXT_TYPES:
        return value
    return formats.localize(value) if isinstance(value, LOCALIZED_TYPES) else value


@pass_eval_context
def gettext(context: EvalContext, message: str, /, **values: object) -> str:
    """Translate a text and insert the values, escaped in HTML."""
    if context.autoescape and not values:
        return _translated_markup(message, translation.get_language())
    return _insert(context, translation.gettext(message), values)


@lru_cache(maxsize=10_000)
def _translated_markup(message: str, language: str) -> Markup:
    return Markup(translation.gettext(message) % {})  # noqa: S704 - translations are trusted


@pass_eval_context
def ngettext(
    context: EvalContext, singular: str, plural: str, number: int, /, **values: object
) -> str:
    """Translate a text with a number, like ``gettext``."""
    values.setdefault("num", number)
    return _insert(context, translation.ngettext(singular, plural, number), values)


@pass_eval_context
def pgettext(context: EvalContext, meaning: str, message: str, /, **values: object) -> str:
    """Translate a text that has several meanings, like ``gettext``."""
    return _insert(context, translation.pgettext(meaning, message), values)


@pass_eval_context
def npgettext(
    context: EvalContext,
    meaning: str,
    singular: str,
    plural: str,
    number: int,
    /,
    **values: object,
) -> str:
    """Translate a text with a number that has several meanings, like ``gettext``."""
    values.setdefault("num", number)
    return _insert(context, translation.npgettext(meaning, singular, plural, number), values)


def _insert(context: EvalContext, text: str, values: Mapping[str, object]) -> str:
    if context.autoescape:
        text = Markup(text)  # noqa: S704 - translations are trusted
    return text % {name: localize(value) for name, value in values.items()}


def format_date(moment: date | None, pattern: str = "DATE_FORMAT") -> str:
    """Format a date or time, in the current language and time zone."""
    if moment is None:
        return ""
    return _format_date(
        moment, pattern, translation.get_language(), timezone.get_current_timezone_name()
    )


def full_stamp(moment: datetime) -> str:
    """Return the date and time with the time zone, such as "Nov. 23, 2026, 10:30 AM CET"."""
    # Zones without letters have names such as "+03".
    zone = timezone.localtime(moment).tzname() or ""
    return f"{format_date(moment, 'DATETIME_FORMAT')} {'' if zone.isalpha() else 'UTC'}{zone}"


def iso_time(moment: datetime) -> str:
    """Return a moment in UTC, such as "2026-11-23T09:30:00Z"."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


@lru_cache(maxsize=10_000)
def _format_date(moment: date, pattern: str, language: str, zone: str) -> str:
    if isinstance(moment, datetime) and timezone.is_aware(moment):
        moment = timezone.localtime(moment)
    return formats.date_format(moment, pattern)


def markdown_html(text: str) -> str:
    """Return Markdown of an administrator as HTML."""
    return mark_safe(markdown_to_html(text=text))  # noqa: S308 - the renderer escapes HTML


def linebreaksbr(text: str) -> str:
    """Return the text as HTML with a line break for each newline."""
    return mark_safe(conditional_escape(text).replace("\n", "<br>"))  # noqa: S308 - it is escaped


def post_html(text: str, dotted_usernames: Any = ()) -> str:
    """Return the text as HTML with links. ``dotted_usernames``: as in ``renderer.to_html``."""
    return _post_html(text, frozenset(dotted_usernames))


def field_html(text: str) -> str:
    """Return the value of a profile field as HTML with links."""
    html = renderer.to_html(text=text, link_rel=renderer.PROFILE_LINK_REL)
    return mark_safe(html)  # noqa: S308 - to_html escapes the text


@lru_cache(maxsize=4096)
def _post_html(text: str, dotted_usernames: frozenset[str]) -> str:
    html = renderer.to_html(text=text, dotted_usernames=dotted_usernames)
    return mark_safe(html)  # noqa: S308 - to_html escapes the text
