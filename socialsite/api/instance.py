"""The instance API: name, limits and rules of the site. Clients call this API first.

Mastodon documents the formats: https://docs.joinmastodon.org/entities/Instance/, and V1_Instance for older
clients. ``VERSION_TEXT`` names the Mastodon version whose API the site implements, then the version of this
site, as on other compatible servers.
"""

from typing import Any, TypedDict

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.brand import logos
from accounts.brand.current import CurrentBrand, current_brand
from accounts.infra import pictures
from accounts.models import MAX_PROFILE_FIELD_LENGTH, MAX_PROFILE_FIELDS
from accounts.selectors.profiles import uid_by_username
from accounts.services.invitations import CLOSED, OPEN
from feed import clip_files
from feed.ffmpeg import MAX_FRAME_RATE, MAX_MATRIX
from feed.kinds import polls
from feed.models import MAX_ALT_TEXT, MAX_PICTURES, MAX_TEXT_LENGTH
from feed.selectors.insights import site_counts_by_week
from feed.services.tags import MAX_FEATURED_TAGS
from feed.stats import Metric
from notifications.push.keys import is_push_enabled, public_key
from socialsite.markdown import markdown_to_html
from socialsite.moderation import decisions
from socialsite.moderation.models import StandardPage
from socialsite.moderation.selectors.site import page_text, site_counts

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .serializers.accounts import Account, Emoji, serialize_account
from .serializers.values import absolute_url, format_datetime, site_domain

MASTODON_VERSION = "4.3.0"
SITE_VERSION = "0.1.0"
VERSION_TEXT = f"{MASTODON_VERSION} (compatible; Socialsite {SITE_VERSION})"
ACTIVITY_WEEKS = 12
PICTURE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"]


class RuleJson(TypedDict):
    id: str
    text: str
    hint: str


class Contact(TypedDict):
    email: str
    account: Account | None


class Thumbnail(TypedDict):
    url: str
    blurhash: str | None
    versions: dict[str, str]


class ActiveUsers(TypedDict):
    active_month: int


class Usage(TypedDict):
    users: ActiveUsers


class Registrations(TypedDict):
    enabled: bool
    approval_required: bool
    reason_required: bool
    message: str | None
    min_age: int | None
    url: str | None


class Instance(TypedDict):
    domain: str
    title: str
    version: str
    source_url: str
    description: str
    usage: Usage
    thumbnail: Thumbnail
    icon: list[dict[str, str]]
    languages: list[str]
    configuration: dict[str, Any]
    registrations: Registrations
    api_versions: dict[str, int]
    contact: Contact
    rules: list[RuleJson]


class InstanceV1(TypedDict):
    uri: str
    title: str
    short_description: str
    description: str
    email: str
    version: str
    urls: dict[str, str]
    stats: dict[str, int]
    thumbnail: str
    languages: list[str]
    registrations: bool
    approval_required: bool
    invites_enabled: bool
    configuration: dict[str, Any]
    contact_account: Account | None
    rules: list[RuleJson]


class Language(TypedDict):
    code: str
    name: str


class DatedText(TypedDict):
    updated_at: str
    content: str


class Terms(TypedDict):
    effective_date: str
    effective: bool
    content: str
    succeeded_by: str | None


def instance_configuration() -> dict[str, Any]:
    """Return the limits of the site. The forms of the site enforce the same limits."""
    return {
        "accounts": {
            "max_featured_tags": MAX_FEATURED_TAGS,
            "max_pinned_statuses": 5,
            "max_display_name_length": 30,
            "max_note_length": 500,
            "max_profile_fields": MAX_PROFILE_FIELDS,
            "profile_field_name_limit": MAX_PROFILE_FIELD_LENGTH,
            "profile_field_value_limit": MAX_PROFILE_FIELD_LENGTH,
        },
        "statuses": {
            "max_characters": MAX_TEXT_LENGTH,
            "max_media_attachments": MAX_PICTURES,
            # Apps require this number. The site counts all characters of a URL, so no number is exact, but
            # the value of Mastodon is closer than 0.
            "characters_reserved_per_url": 23,
        },
        "media_attachments": {
            "description_limit": MAX_ALT_TEXT,
            "supported_mime_types": PICTURE_TYPES
            + (clip_files.ACCEPTED_TYPES.split(",") if settings.CLIPS_ENABLED else []),
            "image_size_limit": pictures.MAX_BYTES,
            "image_matrix_limit": pictures.MAX_PIXELS,
            # 0: the site accepts neither video nor audio.
            "video_size_limit": settings.CLIP_MAX_MB * 2**20 if settings.CLIPS_ENABLED else 0,
            "video_frame_rate_limit": MAX_FRAME_RATE if settings.CLIPS_ENABLED else 0,
            "video_matrix_limit": MAX_MATRIX if settings.CLIPS_ENABLED else 0,
        },
        "polls": {
            "max_options": polls.MAX_CHOICES,
            "max_characters_per_option": polls.MAX_CHOICE_LENGTH,
            "min_expiration": polls.MIN_SECONDS,
            "max_expiration": polls.MAX_SECONDS,
        },
    }


def vapid_key() -> str:
    return public_key(private=settings.WEB_PUSH_PRIVATE_KEY) if is_push_enabled() else ""


def contact_account() -> Account | None:
    uid = uid_by_username(username=settings.CONTACT_ACCOUNT) if settings.CONTACT_ACCOUNT else None
    return None if uid is None else serialize_account(uid=uid)


def serialize_rules() -> list[RuleJson]:
    return [
        {"id": str(rule.pk), "text": rule.text, "hint": rule.details} for rule in decisions.rules()
    ]


def streaming_url() -> str:
    """Return the address of the streams, which apps open as WebSockets."""
    address: str = settings.STREAMING_URL
    return "ws" + address.removeprefix("http")


def serialize_logo(brand: CurrentBrand) -> list[dict[str, str]]:
    """Return the logo in the format of https://docs.joinmastodon.org/entities/Instance/#InstanceIcon."""
    if not brand.logo:
        return []
    size = f"{logos.SIDE_PIXELS}x{logos.SIDE_PIXELS}"
    return [{"src": absolute_url(brand.logo_url), "size": size}]


def language_codes(brand: CurrentBrand) -> list[str]:
    """Return the languages of the user interface, the default language first."""
    codes = [code for code, _name in settings.LANGUAGES]
    return sorted(codes, key=lambda code: code != brand.language)


@endpoint(caller=Caller.ANYONE, returns=Instance, tag="instance")
def instance_v2(request: ApiRequest) -> Any:
    """Return the name, limits and rules of the site."""
    brand = current_brand()
    instance: Instance = {
        "domain": site_domain(),
        "title": brand.name,
        "version": VERSION_TEXT,
        "source_url": absolute_url(reverse("api_docs")),
        "description": brand.description,
        "usage": {"users": {"active_month": site_counts()["active_month"]}},
        "thumbnail": {
            "url": absolute_url(static("site/header.png")),
            "blurhash": None,
            "versions": {"@1x": absolute_url(static("site/header.png"))},
        },
        "icon": serialize_logo(brand),
        "languages": language_codes(brand),
        "configuration": {
            "urls": {
                "streaming": streaming_url(),
                "status": None,
                "about": absolute_url(reverse("about")),
                "privacy_policy": absolute_url(reverse("privacy")),
                "terms_of_service": absolute_url(reverse("terms")),
            },
            "vapid": {"public_key": vapid_key()},
            **instance_configuration(),
            "translation": {"enabled": False},
        },
        "registrations": {
            "enabled": settings.SIGN_UP_MODE == OPEN,
            "approval_required": False,
            "reason_required": False,
            "message": None,
            "min_age": None,
            "url": absolute_url(reverse("account_signup")),
        },
        "api_versions": {"mastodon": 7},
        "contact": {"email": settings.CONTACT_EMAIL, "account": contact_account()},
        "rules": serialize_rules(),
    }
    return instance


@endpoint(caller=Caller.ANYONE, returns=InstanceV1, tag="instance")
def instance_v1(request: ApiRequest) -> Any:
    """Return the name, limits and rules of the site in the format of version 1."""
    counts, brand = site_counts(), current_brand()
    instance: InstanceV1 = {
        "uri": site_domain(),
        "title": brand.name,
        "short_description": brand.description,
        "description": brand.description,
        "email": settings.CONTACT_EMAIL,
        "version": VERSION_TEXT,
        "urls": {"streaming_api": streaming_url()},
        "stats": {
            "user_count": counts["people"],
            "status_count": counts["posts"],
            "domain_count": 0,
        },
        "thumbnail": absolute_url(static("site/header.png")),
        "languages": language_codes(brand),
        "registrations": settings.SIGN_UP_MODE == OPEN,
        "approval_required": False,
        "invites_enabled": settings.SIGN_UP_MODE != CLOSED,
        "configuration": instance_configuration(),
        "contact_account": contact_account(),
        "rules": serialize_rules(),
    }
    return instance


@endpoint(caller=Caller.ANYONE, returns=list[RuleJson], tag="instance")
def list_rules(request: ApiRequest) -> Any:
    """Return the rules of the site."""
    return serialize_rules()


class WeekActivity(TypedDict):
    """The numbers of a week. ``week`` is the Unix time at which the week starts."""

    week: str
    statuses: str
    logins: str
    registrations: str


@endpoint(caller=Caller.ANYONE, returns=list[WeekActivity], tag="instance")
def activity(request: ApiRequest) -> Any:
    """Return the activity of the last twelve weeks, newest first. ``logins`` counts users once a day."""
    return [
        {
            "week": str(int(monday.timestamp())),
            "statuses": str(counts[Metric.POSTS]),
            "logins": str(counts[Metric.ACTIVE]),
            "registrations": str(counts[Metric.SIGN_UPS]),
        }
        for monday, counts in site_counts_by_week(weeks=ACTIVITY_WEEKS).items()
    ]


@endpoint(caller=Caller.ANYONE, returns=list[str], tag="instance")
def empty_list(request: ApiRequest) -> Any:
    """Return an empty list, because the site does not federate."""
    return []


@endpoint(caller=Caller.ANYONE, returns=DatedText, tag="instance")
def extended_description(request: ApiRequest) -> Any:
    """Return the text of the page about the site."""
    return _dated_text(StandardPage.ABOUT)


@endpoint(caller=Caller.ANYONE, returns=DatedText, tag="instance")
def privacy_policy(request: ApiRequest) -> Any:
    """Return the privacy policy."""
    return _dated_text(StandardPage.PRIVACY)


@endpoint(caller=Caller.ANYONE, returns=Terms, tag="instance")
def terms_of_service(request: ApiRequest) -> Any:
    """Return the terms of service."""
    terms = page_text(page=StandardPage.TERMS)
    return {
        "effective_date": terms.changed_at.date().isoformat(),
        "effective": True,
        "content": _absolute_html(terms.text),
        "succeeded_by": None,
    }


def _dated_text(page: StandardPage) -> DatedText:
    current = page_text(page=page)
    return {
        "updated_at": format_datetime(current.changed_at),
        "content": _absolute_html(current.text),
    }


def _absolute_html(text: str) -> str:
    return markdown_to_html(text=text, base_url=settings.SITE_URL)


@endpoint(caller=Caller.ANYONE, returns=list[Language], tag="instance")
def languages(request: ApiRequest) -> Any:
    """Return the languages of the user interface."""
    return [{"code": code, "name": str(name)} for code, name in settings.LANGUAGES]


@endpoint(caller=Caller.ANYONE, returns=dict[str, list[str]], tag="instance")
def translation_languages(request: ApiRequest) -> Any:
    """Return an empty object, because the site does not translate posts."""
    return {}


class CustomEmoji(Emoji):
    category: str | None


@endpoint(caller=Caller.ANYONE, returns=list[CustomEmoji], tag="unsupported_endpoints")
def custom_emojis(request: ApiRequest) -> Any:
    """Return an empty list, because this site has no custom emoji."""
    return []


@require_safe
def nodeinfo_links(request: HttpRequest) -> JsonResponse:
    """Return the link to the NodeInfo document, which describes the site to directories of servers.

    The standard: https://nodeinfo.diaspora.software
    """
    url = absolute_url(reverse("nodeinfo"))
    rel = "http://nodeinfo.diaspora.software/ns/schema/2.0"
    return JsonResponse({"links": [{"rel": rel, "href": url}]})


@require_safe
def nodeinfo(request: HttpRequest) -> JsonResponse:
    counts = site_counts()
    return JsonResponse(
        {
            "version": "2.0",
            "software": {"name": "socialsite", "version": SITE_VERSION},
            "protocols": [],
            "services": {"inbound": [], "outbound": ["atom1.0"]},
            "openRegistrations": settings.SIGN_UP_MODE == OPEN,
            "usage": {
                "users": {"total": counts["people"], "activeMonth": counts["active_month"]},
                "localPosts": counts["posts"],
            },
            "metadata": {
                "nodeName": current_brand().name,
                # Clients that know only Mastodon read here which API the site implements.
                "upstream": {"name": "mastodon", "version": MASTODON_VERSION},
            },
        }
    )
