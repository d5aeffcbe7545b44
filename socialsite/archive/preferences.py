"""The owner's settings, in a format of this site, because other sites cannot use these settings."""

from typing import Any

from accounts.models import User
from accounts.selectors.email_addresses import email_addresses
from accounts.selectors.follow_graph import featured_uids
from accounts.user_cards import UserCard, cards_by_uid
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.filters import home_kind_choices
from feed.selectors.tags import followed_tags
from notifications.kinds import kinds
from notifications.store.preferences import KindPreferences, get_preferences

from . import outbox
from .lists_and_tags import lists_json
from .notes import full_handle


def settings_json(*, owner: User, owner_card: UserCard) -> dict[str, Any]:
    """Return the settings of all apps."""
    return {
        "email": owner.email,
        "email_addresses": [
            {"address": address, "is_confirmed": is_confirmed}
            for address, is_confirmed in email_addresses(uid=owner.pk)
        ],
        "approves_followers": owner.is_private,
        "is_indexable": owner.is_indexable,
        "is_discoverable": owner.is_discoverable,
        "post_visibility": owner.post_visibility,
        "post_language": owner.post_language or None,
        "quote_policy": owner.quote_policy,
        "has_sensitive_media": owner.has_sensitive_media,
        "pictures_without_description": owner.description_reminder,
        "language": owner.language or None,
        "time_zone": owner.time_zone or None,
        "shown_at_home": [
            kind.name for kind, is_shown in home_kind_choices(viewer=owner.pk) if is_shown
        ],
        "followed_hashtags": followed_tags(viewer=owner.pk),
        "lists": lists_json(uid=owner.pk),
        "featured_hashtags": featured_tag_names(author=owner.pk),
        "featured_people": _featured_handles(owner),
        "pinned_posts": outbox.pinned_post_urls(owner_card=owner_card),
        "notifications": _notification_preferences(owner.pk),
    }


def _featured_handles(owner: User) -> list[str]:
    """Return the handles of the featured users, the first to be featured again first."""
    uids = featured_uids(uid=owner.pk)[::-1]
    cards = cards_by_uid(uids=uids)
    return [full_handle(cards[uid]) for uid in uids if uid in cards]


def _notification_preferences(uid: int) -> dict[str, Any]:
    preferences = get_preferences(recipient=uid)
    mail = preferences.mail
    return {
        "enabled_kinds": [
            kind.name for kind in kinds() if kind.name not in preferences.disabled_kinds
        ],
        "filtered_senders": sorted(preferences.filters),
        "mail": {
            "mode": mail.mode,
            "enabled_kinds": _wanted_kinds(mail),
            "quiet_from": _clock_time(mail.quiet_from),
            "quiet_until": _clock_time(mail.quiet_until),
            "time_zone": mail.time_zone or None,
        },
        "devices": {"enabled_kinds": _wanted_kinds(preferences.push)},
    }


def _wanted_kinds(preferences: KindPreferences) -> list[str]:
    return [kind.name for kind in kinds() if preferences.wants(kind=kind)]


def _clock_time(minute: int | None) -> str | None:
    return None if minute is None else f"{minute // 60:02}:{minute % 60:02}"
