"""Register apps, issue tokens, and revoke access."""

import secrets
from datetime import timedelta

from django.utils import timezone
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import set_token_value
from oauth2_provider.settings import oauth2_settings

from accounts.infra import rate_limits
from accounts.infra.ids import first_id_at
from accounts.oauth.models import AccessToken, Application, Grant

UNUSED_APP_LIFE = timedelta(days=7)
BATCH_SIZE = 200


def register_app(
    *, name: str, redirect_uris: list[str], scopes: str, website: str, client_network: str
) -> tuple[Application, str]:
    """Return a new app and its secret, of which the database stores a digest.

    Raises RateLimited if the network has registered too many apps.
    """
    secret: str = generate_client_secret()
    with rate_limits.limited_action(action="app", subject=client_network):
        app = Application.objects.create(
            client_id=secrets.token_urlsafe(32),
            client_secret=secret,
            client_type=Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
            name=name,
            website=website,
            redirect_uris=" ".join(redirect_uris),
            scopes=scopes,
        )
    return app, secret


def issue_token(*, app: Application, uid: int | None) -> str:
    """Issue a token with all scopes of the app, and return it.

    Does not ask the user for consent, because the user signed up in this app. If ``uid`` is None, the token
    is app-only and is treated as anonymous.
    """
    token = secrets.token_urlsafe(32)
    seconds = oauth2_settings.ACCESS_TOKEN_EXPIRE_SECONDS
    expires = timezone.now() + timedelta(seconds=seconds)
    access_token = AccessToken(user_id=uid, application=app, scope=app.scopes, expires=expires)
    set_token_value(access_token, token)  # the database stores only a digest of the token
    access_token.save()
    return token


def revoke_app(*, uid: int, app_id: int) -> bool:
    """Revoke an app's access to an account. Return False if the app had no access."""
    Grant.objects.filter(user=uid, application=app_id).delete()
    deleted, _by_model = AccessToken.objects.filter(user=uid, application=app_id).delete()
    return bool(deleted)


def delete_unused_apps() -> int:
    """Delete expired authorization codes, then apps without tokens and codes.

    Keeps apps younger than ``UNUSED_APP_LIFE``. Returns the number of deleted apps.
    """
    now = timezone.now()
    Grant.objects.filter(expires__lt=now).delete()
    last_id, deleted = 0, 0
    before_id = first_id_at(moment=now - UNUSED_APP_LIFE)
    old_apps = Application.objects.filter(pk__lt=before_id).order_by("pk")
    while ids := list(old_apps.filter(pk__gt=last_id).values_list("pk", flat=True)[:BATCH_SIZE]):
        last_id, used = ids[-1], set[int]()
        for model in (AccessToken, Grant):
            rows = model.objects.filter(application__in=ids)
            used.update(rows.values_list("application", flat=True).distinct())
        unused = [app_id for app_id in ids if app_id not in used]
        Application.objects.filter(pk__in=unused).delete()
        deleted += len(unused)
    return deleted


def revoke_all_apps(*, uid: int) -> None:
    """Revoke the access of all apps to an account, for example after a stolen password."""
    Grant.objects.filter(user=uid).delete()
    AccessToken.objects.filter(user=uid).delete()
