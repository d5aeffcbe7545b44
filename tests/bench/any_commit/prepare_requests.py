"""Log alice in and find what to request on a site with demo data. As a script, it prints this as JSON."""

import json
import os
import sys
from datetime import timedelta
from typing import Any

TOKEN = "token-of-the-benchmark"


def prepared_requests() -> dict[str, Any]:
    """Return {cookie, token, post: {author, id}, tag}: the post is the one with most comments."""
    from accounts.models import User
    from feed.models import Post

    viewer = User.objects.get(username="alice")
    post = Post.objects.filter(visibility="public", share_of=None).order_by("-comments").first()
    if post is None:
        sys.exit("The demo has no posts.")
    return {
        "cookie": _session_cookie(viewer),
        "token": _token(viewer),
        "post": {"author": post.author.username, "id": post.pk},
        "tag": _used_tag(),
    }


def _session_cookie(user: Any) -> str:
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from accounts.session_store import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def _token(user: Any) -> str:
    """Create an access token. Ids are assigned here, because the generator uses the site's database."""
    from django.utils import timezone

    from accounts.oauth.models import AccessToken, Application

    app = Application.objects.create(
        pk=1,
        name="Bench",
        client_id="bench",
        redirect_uris="urn:ietf:wg:oauth:2.0:oob",
        scopes="read",
    )
    AccessToken.objects.create(
        pk=1,
        user=user,
        application=app,
        token=TOKEN,
        scope="read",
        expires=timezone.now() + timedelta(days=1),
    )
    return TOKEN


def _used_tag() -> str:
    from feed.models import Post

    with_tags = Post.objects.filter(visibility="public", text__contains="#").order_by("-pk")[:100]
    tags = (
        attribute["value"]
        for post in with_tags
        for attribute in post.attributes
        if attribute["kind"] == "hashtag"
    )
    return str(next(tags, "none"))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    import django

    django.setup()
    json.dump(prepared_requests(), sys.stdout)
