"""Where allauth meets our people."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from . import services
from .models import User


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": _("Somebody already has this name."),
    }

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> None:
        """Who is not active may log in: ``confinement`` lets them see why, and nothing else."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        services.end_oldest_sessions(uid=user.pk)
        return response

    def is_safe_url(self, url: str) -> bool:
        # Paths only: allauth takes any word for one, looks it up as the name of a view, and fails.
        return url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def format_email_subject(self, subject: str) -> str:
        # Without the sites framework allauth would name the host the request came in by.
        return f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        super().send_mail(template_prefix, email, {**context, "site_name": settings.SITE_NAME})
