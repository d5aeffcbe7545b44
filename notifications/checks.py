"""System checks that reject web push settings that cannot work."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from .push import allowed_endpoints, keys


@register()
def check_web_push_settings(**_: Any) -> list[Error]:
    if not keys.is_push_enabled():
        return []
    errors = []
    try:
        keys.parse_private_key(text=settings.WEB_PUSH_PRIVATE_KEY)
    except keys.InvalidKey as error:
        # Django logs the message, so the message must not contain the key.
        errors.append(
            Error(
                f"WEB_PUSH_PRIVATE_KEY cannot be read: {error}",
                hint="Create one with 'manage.py web_push_keys', or leave it empty to turn web push off.",
                id="notifications.E001",
            )
        )
    if not allowed_endpoints.is_contact_url(text=settings.WEB_PUSH_CONTACT):
        errors.append(
            Error(
                f"WEB_PUSH_CONTACT is not a mailto address: {settings.WEB_PUSH_CONTACT!r}.",
                hint="Set the address that push services may contact, such as mailto:admin@example.org.",
                id="notifications.E002",
            )
        )
    invalid_hosts = [
        host for host in settings.WEB_PUSH_HOSTS if not allowed_endpoints.is_host_pattern(text=host)
    ]
    if invalid_hosts:
        errors.append(
            Error(
                f"WEB_PUSH_HOSTS contains invalid hosts: {', '.join(invalid_hosts)}.",
                hint="Use host names, such as push.example.org or *.push.example.org.",
                id="notifications.E003",
            )
        )
    return errors
