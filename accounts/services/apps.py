"""Apps make themselves known, and people take back what they let them do."""

import secrets
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """``secret`` is told this once; only its digest is kept."""

    app: Application
    secret: str


def register_app(
    *, name: str, redirect_uris: list[str], scopes: str, website: str, address: str
) -> RegisteredApp:
    """Raises TooMany for an ``address`` from which very many come."""
    secret: str = generate_client_secret()
    with rate_limits.limited_action(action="app", subject=address):
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
    return RegisteredApp(app=app, secret=secret)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    token: str
    scopes: str


def issue_token(*, app: Application, uid: int | None) -> IssuedToken:
    """What the app needs to act for a person who has let it without being asked: by signing up in it. With
    ``uid`` None it is good for nothing."""
    token = secrets.token_urlsafe(32)
    seconds = oauth2_settings.ACCESS_TOKEN_EXPIRE_SECONDS
    expires = timezone.now() + timedelta(seconds=seconds)
    made = AccessToken(user_id=uid, application=app, scope=app.scopes, expires=expires)
    set_token_value(made, token)  # only its digest is kept
    made.save()
    return IssuedToken(token=token, scopes=app.scopes)


def revoke_app(*, uid: int, app_id: int) -> bool:
    """The app can do nothing for this person any more; False if it could not before."""
    Grant.objects.filter(user=uid, application=app_id).delete()
    gone, _each = AccessToken.objects.filter(user=uid, application=app_id).delete()
    return bool(gone)


def delete_unused_apps() -> int:
    """Those that nobody has let in for a week, and codes that no app has fetched; returns how many apps."""
    now = timezone.now()
    Grant.objects.filter(expires__lt=now).delete()
    last, deleted = 0, 0
    old = Application.objects.filter(pk__lt=first_id_at(moment=now - UNUSED_APP_LIFE)).order_by(
        "pk"
    )
    while ids := list(old.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH_SIZE]):
        last, used = ids[-1], set[int]()
        for model in (AccessToken, Grant):
            found = model.objects.filter(application__in=ids).values_list("application", flat=True)
            used.update(found.distinct())
        unused = [one for one in ids if one not in used]
        Application.objects.filter(pk__in=unused).delete()
        deleted += len(unused)
    return deleted


def revoke_all_apps(*, uid: int) -> None:
    """As when somebody else may know the password."""
    Grant.objects.filter(user=uid).delete()
    AccessToken.objects.filter(user=uid).delete()
