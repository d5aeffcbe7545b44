"""Who somebody is, for other sites that let people in with their account here."""

from typing import Any, TypedDict

from django.conf import settings
from django.http import Http404

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.selectors.user_descriptions import user_descriptions
from accounts.user_cards import profile_url


class UserInfo(TypedDict):
    """https://docs.joinmastodon.org/methods/oauth/#userinfo. ``sub`` stays when the person is renamed."""

    iss: str
    sub: str
    name: str
    preferred_username: str
    profile: str
    picture: str


@endpoint("profile", returns=UserInfo, tag="oauth")
def userinfo(request: ApiRequest) -> Any:
    """Who lets this app in."""
    me = user_descriptions(uids=[request.uid]).get(request.uid)
    if me is None:
        raise Http404("No such person.")
    return {
        "iss": settings.SITE_URL,
        "sub": str(me.uid),
        "name": me.display_name,
        "preferred_username": me.username,
        "profile": settings.SITE_URL + profile_url(me.username),
        "picture": settings.SITE_URL + me.bitmap_avatar_url,
    }
