"""What a browser reads from a page: links, buttons, forms and pictures.

Regular expressions suffice, because the templates write attributes in a fixed order. A parser would take
more CPU than the site has left on the same machine.
"""

import html
import re

_OLDER = re.compile(r'<li class="older-posts" hx-get="([^"]+)"')
_LIKES = re.compile(r'formaction="(/posts/(\d+)/like/)"')
_POSTS = re.compile(r'<a class="post-time" href="(/@[^/"]+/(\d+)/)"')
_PROFILES = re.compile(r'<a class="author" href="(/@[^/"]+/)"')
_CSRF = re.compile(r'(?:"X-CSRFToken": |name="csrfmiddlewaretoken" value=)"([^"]+)"')
_TOP = re.compile(r'data-new-posts="(\d+)"')
_SIDEBAR = re.compile(r'<div class="desktop-only" hx-get="([^"]+)"')
_SHOWN = re.compile(r'<template data-shown="([^"]+)">')
_PICTURES = re.compile(r'<img[^>]* src="(/(?:media|avatars)/[^"]+)"')
_STATIC = re.compile(r'(?:src|href)="(/static/[^"]+\.(?:css|js|svg))"')
_REPLY_FORMS = re.compile(r'hx-get="(/posts/\d+/comments/\d+/reply/)"')
_COMMENT_KEY = re.compile(
    r'action="(/posts/\d+/comments/)".*?name="idempotency_key" value="([^"]+)"', re.DOTALL
)
_POST_KEY = re.compile(r'action="/posts/".*?name="idempotency_key" value="([^"]+)"', re.DOTALL)
_PARENT = re.compile(r'name="parent" value="(\d+)"')
_MEDIA = re.compile(r'name="media" value="(\d+)"')


class Page:
    """A page at ``path`` with the text ``text``."""

    def __init__(self, path: str, text: str):
        self.path, self.text = path, text

    @property
    def csrf_token(self) -> str:
        return _first(_CSRF, self.text)

    @property
    def older_path(self) -> str:
        """The path of the next page of posts, "" on the last page."""
        query = html.unescape(_first(_OLDER, self.text))
        return self.path.partition("?")[0] + query if query.startswith("?") else query

    @property
    def sidebar_path(self) -> str:
        return html.unescape(_first(_SIDEBAR, self.text))

    @property
    def newest_seen_id(self) -> str:
        return _first(_TOP, self.text)

    @property
    def like_buttons(self) -> list[tuple[str, int]]:
        """(path, post id) of the posts that the viewer has not liked."""
        return [(path, int(post)) for path, post in _LIKES.findall(self.text)]

    @property
    def posts(self) -> list[tuple[str, int]]:
        """(path, post id) of the posts."""
        return [(path, int(post)) for path, post in _POSTS.findall(self.text)]

    @property
    def shown_token(self) -> str:
        """The token with which views of the posts are counted, "" for visitors."""
        return _first(_SHOWN, self.text)

    @property
    def profile_paths(self) -> list[str]:
        return _PROFILES.findall(self.text)

    @property
    def picture_paths(self) -> list[str]:
        return [html.unescape(path) for path in _PICTURES.findall(self.text)]

    @property
    def static_paths(self) -> list[str]:
        return _STATIC.findall(self.text)

    @property
    def reply_form_paths(self) -> list[str]:
        return _REPLY_FORMS.findall(self.text)

    @property
    def post_key(self) -> str:
        """The idempotency key of the composer, "" without a composer."""
        return _first(_POST_KEY, self.text)

    @property
    def comment_form(self) -> tuple[str, str]:
        """(path, idempotency key) of the form to comment, two empty texts if there is none."""
        match = _COMMENT_KEY.search(self.text)
        return (match[1], match[2]) if match else ("", "")

    @property
    def parent_id(self) -> str:
        return _first(_PARENT, self.text)

    @property
    def media_id(self) -> str:
        return _first(_MEDIA, self.text)


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
