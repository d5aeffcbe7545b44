"""Permission checks and look-ups that the views of moderators share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path

from accounts.infra.admin_lists import NewestFirstAdmin
from accounts.infra.cursors import parse_id
from accounts.models import User
from socialsite.moderation.subjects import (
    Subject,
    comment_subject,
    post_subject,
    user_subject,
)

MODERATE = "moderation.moderate"

View = Callable[..., HttpResponseBase]


def signed_in_moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the admin requires a login
    return request.user


def can_moderate(request: HttpRequest) -> bool:
    return signed_in_moderator(request).has_perm(MODERATE)


class ChangeOnlyAdmin(NewestFirstAdmin):
    """Allow administrators with the permission to change a model to see and change it, and no more."""

    forbidden = ("add", "delete")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)


def moderator_path(route: str, view: View, name: str, permission: str = MODERATE) -> URLPattern:
    """Return the URL pattern of an admin page that requires a permission."""

    @wraps(view)
    def guarded_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not signed_in_moderator(request).has_perm(permission):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return path(route, admin.site.admin_view(guarded_view), name=name)


def requested_subject(request: HttpRequest) -> Subject:
    """Return the subject from ``?kind=post&id=1``. Comments also need ``&post=2``. Raises Http404."""
    params = request.POST if request.method == "POST" else request.GET
    subject_id, post_id = parse_id(params.get("id", "")), parse_id(params.get("post", ""))
    kind = params.get("kind", "")
    if subject_id is not None and kind == "person":
        return user_subject(uid=subject_id)
    if subject_id is not None and kind == "post":
        return post_subject(post_id=subject_id)
    if subject_id is not None and post_id is not None and kind == "comment":
        return comment_subject(post_id=post_id, comment_id=subject_id)
    raise Http404("Subject not found.")


def page_context(request: HttpRequest, *, title: str, **context: Any) -> dict[str, Any]:
    """Return a context for templates that extend the templates of the admin."""
    return {**admin.site.each_context(request), "title": title, **context}
