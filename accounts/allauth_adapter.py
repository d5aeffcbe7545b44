"""Where allauth meets our people."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from . import limits
from .client_address import client_address


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": _("Somebody already has this name."),
    }

    def is_safe_url(self, url: str) -> bool:
        # Paths only: allauth takes any word for one, looks it up as the name of a view, and fails.
        return url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(client_address(request) or "unknown")

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        times = 0 if signup else 1  # the first one belongs to signing up
        who = emailconfirmation.email_address.user_id
        with limits.counted(action="mail", who=who, times=times):
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def format_email_subject(self, subject: str) -> str:
        # Without the sites framework allauth would name the host the request came in by.
        return f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        super().send_mail(template_prefix, email, {**context, "site_name": settings.SITE_NAME})
