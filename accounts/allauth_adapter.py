"""Adapters for allauth with the sign-up rules, rate limits, mails and name of this site."""

import logging
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _

from accounts.brand.current import current_brand
from accounts.selectors.account_data import find_usable_invitation
from accounts.selectors.blocklists import (
    can_sign_up_from,
    reject_blocked_email,
    reject_blocked_name,
)
from accounts.services.invitations import BY_INVITATION, CLOSED, sign_up
from accounts.services.sessions import end_oldest_sessions

from .allauth_rate_limits import record_login_wait
from .devices import known_device_key, remember_device
from .infra import rate_limits
from .infra.client_address import client_address, client_network
from .languages import message_language
from .models import User
from .services.invitations import INVITATION_SESSION_KEY

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": _("This username is taken. Choose another one."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if settings.SIGN_UP_MODE == CLOSED:
            return False
        if settings.SIGN_UP_MODE == BY_INVITATION:
            key = request.session.get(INVITATION_SESSION_KEY, "")
            if find_usable_invitation(key=key) is None:
                return False
        return can_sign_up_from(address=client_address(request))

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        super().save_user(request, user, form, commit=False)
        user.language = get_language()
        if commit:
            sign_up(user=user, invitation_key=request.session.get(INVITATION_SESSION_KEY, ""))
        return user

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name: str = super().clean_username(username, shallow=shallow)
        if not shallow:
            reject_blocked_name(name=name)
        return name

    def clean_email(self, email: str) -> str:
        # allauth accepts longer addresses, and writes to the beginning of the address.
        MaxLengthValidator(app_settings.EMAIL_MAX_LENGTH)(email)
        reject_blocked_email(address=email)
        return email

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        # Count wrong passwords from a known device by its cookie, not by its address: other people at that
        # address may fail to log in, too. allauth creates several adapters per request, so
        # ``get_client_ip`` reads the device from the request.
        uid, _name = self._find_account(request, **credentials)
        request.counted_as = known_device_key(request=request, uid=uid)  # type: ignore[attr-defined]
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            raise ValidationError(record_login_wait(request=request)) from error
        finally:
            del request.counted_as  # type: ignore[attr-defined]

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return the key under which wrong passwords are counted.

        The key names the account and the client: a device from which the user has logged in before, else
        the network. So an attacker on another network cannot lock a user out. Unknown names have a key as
        well, so that responses do not reveal which names exist.
        """
        uid, name = self._find_account(request, **credentials)
        device = known_device_key(request=request, uid=uid)
        return f"account:{uid or name}:{device or client_network(request)}"

    def _find_account(self, request: HttpRequest, **credentials: Any) -> tuple[int, str]:
        """Return the uid of the account (0 if there is none) and the submitted name.

        allauth calls ``_get_login_attempts_cache_key`` several times per log-in. The request caches the
        uid, so each name costs one command.
        """
        name = str(credentials.get("email") or credentials.get("username") or "").strip().lower()
        accounts: dict[str, int] = vars(request).setdefault("accounts_by_name", {})
        if name not in accounts:
            field = "email" if "@" in name else "username"
            uid = User.objects.filter(**{field: name}).values_list("pk", flat=True).first()
            accounts[name] = uid or 0
        return accounts[name], name

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> None:
        """Allow inactive users to log in. ``inactive_users`` restricts what they can do."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        end_oldest_sessions(uid=user.pk)
        remember_device(request=request, response=response, uid=user.pk)
        return response

    def is_safe_url(self, url: str) -> bool:
        # Accept only paths. allauth would look up any other text as the name of a view, and raise an error.
        return url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_client_ip(self, request: HttpRequest) -> str:
        return getattr(request, "counted_as", "") or str(client_address(request) or "unknown")

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        times = 0 if signup else 1  # the rate limit of sign-ups already limits these mails
        uid = emailconfirmation.email_address.user_id
        with rate_limits.limited_action(action="mail", subject=uid, times=times):
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def format_email_subject(self, subject: str) -> str:
        # Without Django's sites framework, allauth would put the forgeable Host header into the subject.
        return f"{current_brand().subject_prefix}{subject}"

    def get_from_email(self) -> str:
        return current_brand().mail_sender

    def send_notification_mail(self, template_prefix: str, *args: Any, **kwargs: Any) -> None:
        """Send the mail, which reports a change. Log errors, because the change is already saved."""
        try:
            super().send_notification_mail(template_prefix, *args, **kwargs)
        except Exception:
            logger.exception("The mail %s was not sent", template_prefix)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        # allauth builds links from the Host header, which a client can forge.
        links = {
            name: f"{settings.SITE_URL}{urlunsplit(('', '', *urlsplit(str(value))[2:]))}"
            for name, value in context.items()
            if name.endswith("_url")
        }
        context = {**context, **links, "site_name": current_brand().name}
        # The recipient need not be the user who sent the request.
        user = context.get("user")
        language = get_language()
        if isinstance(user, User) and user.pk:
            language = message_language(chosen=user.language)
        with override(language):
            super().send_mail(template_prefix, email, context)


class MFAAdapter(DefaultMFAAdapter):
    def get_totp_issuer(self) -> str:
        """Return the name under which authenticator apps list the account."""
        return current_brand().name
