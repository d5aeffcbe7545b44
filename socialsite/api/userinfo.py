"""User information for other sites on which users log in with an account of this site."""

from typing import Any, TypedDict

from django.conf import settings
from django.http import Http404

from accounts.infra.paths import path_for
from accounts.user_cards import find_card

from .plumbing.endpoints import ApiRequest, endpoint


class UserInfo(TypedDict):
    """https://docs.joinmastodon.org/methods/oauth/#userinfo

    A user's ``sub`` stays the same when the username changes.
    """

    iss: str
    sub: str
    name: str
    preferred_username: str
    profile: str
    picture: str


@endpoint("profile", returns=UserInfo, tag="oauth")
def userinfo(request: ApiRequest) -> Any:
    """Return the user who authorized the app."""
    user = find_card(uid=request.uid)
    if user is None:
        raise Http404("No such user.")
    return {
        "iss": settings.SITE_URL,
        "sub": str(user.uid),
        "name": user.display_name,
        "preferred_username": user.username,
        "profile": settings.SITE_URL + path_for("profile", user.username),
        "picture": settings.SITE_URL + user.bitmap_avatar_url,
    }
