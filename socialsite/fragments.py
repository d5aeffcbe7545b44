"""HTML that a process caches by everything it depends on: fragments, and the posts and comments of lists.

A cached value is never outdated, because everything it shows is part of its key, with the language and the
time zone (decision 0017). While a developer edits templates (``auto_reload``), nothing is cached.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from django.utils import timezone, translation
from jinja2 import Environment, pass_environment
from markupsafe import Markup

from accounts.infra.metrics import watch_function_cache
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.text import age


@pass_environment
def fragment(env: Environment, template: str, **inputs: Hashable) -> Markup:
    """Return the HTML of a template that shows nothing but ``inputs``, such as the navigation.

    The template does not get the context of the page.
    """
    render = _fragment if env.auto_reload else _cached_fragment
    return render(env, template, _language_and_zone(), **inputs)


def _fragment(
    env: Environment, template: str, _language_and_zone: tuple[str, str], /, **inputs: Hashable
) -> Markup:
    return Markup(env.get_template(template).render(inputs))  # noqa: S704 - the template escapes


_cached_fragment = lru_cache(maxsize=1024)(_fragment)
watch_function_cache(name="fragments", function=_cached_fragment)


def _language_and_zone() -> tuple[str, str]:
    return translation.get_language(), timezone.get_current_timezone_name()


@pass_environment
def post_item(
    env: Environment,
    post: PostView,
    viewer: object,
    *,
    prefix: str = "",
    lazy: bool = False,
    is_pinned: bool = False,
) -> Markup:
    """Return the HTML of a post in a list (``_post.html``).

    All viewers who see the post in the same way share its HTML.
    """
    render = _post_item
    if not (env.auto_reload or post.has_expiring_urls):
        render = _cached_post_item
    return render(
        env,
        post,
        age.ago(post.created_at),
        age.ago(post.quote.post.created_at) if post.quote and post.quote.post else "",
        bool(viewer),
        prefix,
        lazy,
        is_pinned,
        *_language_and_zone(),
    )


def _post_item(
    env: Environment,
    post: PostView,
    post_age: str,
    quote_age: str,
    has_viewer: bool,
    prefix: str,
    lazy: bool,
    is_pinned: bool,
    _language: str,
    _zone: str,
) -> Markup:
    macros: Any = env.get_template("_post.html").module
    html = macros.item(post, post_age, quote_age, has_viewer, prefix, lazy, is_pinned)
    return Markup(html)  # noqa: S704 - the template escapes


_cached_post_item = lru_cache(maxsize=4096)(_post_item)
watch_function_cache(name="posts", function=_cached_post_item)


@pass_environment
def comment_item(
    env: Environment,
    post: PostView,
    comment: CommentView,
    viewer: object,
    *,
    thread_id: int,
    lazy: bool = False,
) -> Markup:
    """Return the HTML of a comment in a list. ``thread_id``: the thread that its reply link opens."""
    return fragment(
        env,
        "feed/_comment.html",
        post=post,
        comment=comment,
        age=age.ago(comment.created_at),
        has_viewer=bool(viewer),
        thread_id=thread_id,
        lazy=lazy,
    )
