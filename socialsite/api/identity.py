"""What other sites and programs look up about a user.

WebFinger (RFC 7033) returns the URL of the profile of a user whose name is known. Host metadata (RFC 6415)
returns the URL of WebFinger. Sites on which users log in with an account of this site get ``userinfo``.
"""

from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.infra.paths import path_for
from accounts.selectors.profiles import get_card_or_404
from accounts.user_cards import find_card

from .plumbing.endpoints import ApiRequest, endpoint

PROFILE_REL = "http://webfinger.net/rel/profile-page"
AVATAR_REL = "http://webfinger.net/rel/avatar"
HOST_META = """<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">
  <Link rel="lrdd" template="%s?resource={uri}"/>
</XRD>
"""


@require_safe
def host_meta(request: HttpRequest) -> HttpResponse:
    webfinger_url = settings.SITE_URL + reverse("webfinger")
    return HttpResponse(
        HOST_META % webfinger_url, content_type="application/xrd+xml; charset=utf-8"
    )


@require_safe
def webfinger(request: HttpRequest) -> HttpResponse:
    """Describe the user in ``?resource=``: ``acct:alice@this.site`` or the URL of a profile."""
    resource = request.GET.get("resource", "")
    if not resource:
        return JsonResponse({"error": _("The parameter “resource” is missing")}, status=400)
    try:
        card = get_card_or_404(username=_username(resource))
    except Http404:
        return JsonResponse({"error": _("Record not found")}, status=404)
    host = urlsplit(settings.SITE_URL).netloc
    page = settings.SITE_URL + card.url
    data = {
        "subject": f"acct:{card.username}@{host}",
        "aliases": [page],
        "links": [
            {"rel": PROFILE_REL, "type": "text/html", "href": page},
            {"rel": AVATAR_REL, "href": settings.SITE_URL + card.avatar_url},
        ],
    }
    return JsonResponse(data, content_type="application/jrd+json")


def _username(resource: str) -> str:
    """Return the username in a resource, or "" for users of other sites and for invalid resources."""
    if resource.startswith(f"{settings.SITE_URL}/"):
        try:
            match = resolve(f"{urlsplit(resource).path.rstrip('/')}/")
        except (Resolver404, ValueError):
            return ""
        return str(match.kwargs["username"]) if match.url_name == "profile" else ""
    name, _sign, host = resource.removeprefix("acct:").removeprefix("@").rpartition("@")
    return name if host.lower() == urlsplit(settings.SITE_URL).netloc.lower() else ""


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
