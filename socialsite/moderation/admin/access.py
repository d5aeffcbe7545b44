"""Who asks, and for what: the beginning of every view of moderators."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path

from accounts.infra.paging import parse_id
from accounts.models import User
from socialsite.moderation.models import Case
from socialsite.moderation.subjects import (
    Subject,
    comment_subject,
    post_subject,
    user_subject,
)

MODERATE = "moderation.moderate"

View = Callable[..., HttpResponseBase]


def signed_in_moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the admin lets nobody else in
    return request.user


def can_moderate(request: HttpRequest) -> bool:
    return signed_in_moderator(request).has_perm(MODERATE)


def moderator_path(route: str, view: View, name: str) -> URLPattern:
    """A page of the admin for those who work on cases."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not can_moderate(request):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return path(route, admin.site.admin_view(guarded), name=name)


def get_case_or_404(number: int) -> Case:
    case = Case.objects.filter(pk=number).first()
    if case is None:
        raise Http404("No such case.")
    return case


def requested_subject(request: HttpRequest) -> Subject:
    """``?kind=post&id=1``, of a comment with ``&post=2``. Raises Http404."""
    asked = request.POST if request.method == "POST" else request.GET
    number, post = parse_id(asked.get("id", "")), parse_id(asked.get("post", ""))
    kind = asked.get("kind", "")
    if number is not None and kind == "person":
        return user_subject(uid=number)
    if number is not None and kind == "post":
        return post_subject(post_id=number)
    if number is not None and post is not None and kind == "comment":
        return comment_subject(post_id=post, comment_id=number)
    raise Http404("Nothing of this kind.")


def page_context(request: HttpRequest, *, title: str, **context: Any) -> dict[str, Any]:
    """What the templates of the admin need."""
    return {**admin.site.each_context(request), "title": title, **context}
