"""oEmbed (https://oembed.com): public posts as quotes for other sites, without scripts and frames."""

from typing import TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException

from accounts.brand.current import current_brand
from feed.selectors.link_previews import embed_html, public_post_at

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs

DEFAULT_WIDTH = 400
CACHE_SECONDS = 3600


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
