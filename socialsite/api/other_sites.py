"""What other sites and programs ask for: profiles, users who log in there, and embedded posts.

WebFinger (RFC 7033) returns the URL of the profile of a user whose name is known. Host metadata (RFC 6415)
returns the URL of WebFinger. Sites on which users log in with an account of this site get ``userinfo``.
oEmbed (https://oembed.com) returns public posts as quotes, without scripts and frames.
"""

from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException

from accounts.brand.current import current_brand
from accounts.infra.paths import path_for
from accounts.selectors.profiles import get_card_or_404
from accounts.user_cards import find_card
from feed.selectors.link_previews import embed_html, public_post_at

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs

PROFILE_REL = "http://webfinger.net/rel/profile-page"
AVATAR_REL = "http://webfinger.net/rel/avatar"
HOST_META = """<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">
  <Link rel="lrdd" template="%s?resource={uri}"/>
</XRD>
"""
DEFAULT_WIDTH = 400
CACHE_SECONDS = 3600


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


class OEmbed(TypedDict):
    version: str
    type: str
    title: str
    author_name: str
    author_url: str
    provider_name: str
    provider_url: str
    cache_age: int
    html: str
    width: int
    height: int | None


@extend_schema_field({"type": "string", "enum": ["json"]})
class FormatField(serializers.CharField):
    """The standard requires the status 501 for other formats, so they are no invalid input."""


class OEmbedInputs(Inputs):
    url = serializers.CharField(max_length=2000)
    maxwidth = serializers.IntegerField(required=False, default=DEFAULT_WIDTH, min_value=1)
    maxheight = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1)
    format = FormatField(required=False, default="json", max_length=20)


class FormatNotSupported(APIException):
    status_code = 501
    default_detail = "Only the format json is supported"


@endpoint(caller=Caller.ANYONE, inputs=OEmbedInputs, returns=OEmbed, tag="oembed")
def oembed(request: ApiRequest) -> OEmbed:
    """Return a public post as HTML for another site.

    The height is unknown, because the HTML takes the styles of the other site.
    """
    inputs = request.inputs
    if inputs["format"] != "json":
        raise FormatNotSupported
    post = public_post_at(path=_site_path(inputs["url"]))
    if post is None:
        raise Http404(_("Record not found"))
    return {
        "version": "1.0",
        "type": "rich",
        "title": post.excerpt,
        "author_name": post.author.display_name,
        "author_url": settings.SITE_URL + post.author.url,
        "provider_name": current_brand().name,
        "provider_url": f"{settings.SITE_URL}/",
        "cache_age": CACHE_SECONDS,
        "html": embed_html(post=post),
        "width": min(inputs["maxwidth"], DEFAULT_WIDTH),
        "height": None,
    }


def _site_path(url: str) -> str:
    """Return the path of a URL of this site, "" for other URLs."""
    if not url.startswith(f"{settings.SITE_URL}/"):
        return ""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
