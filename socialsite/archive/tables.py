"""Write lists of users as CSV files in Mastodon's format, and filters and settings as JSON.

The lists are followed users, followers, blocks, mutes, user lists and private notes. The settings are in a
format of this site, because other sites cannot use them.
"""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from accounts.models import User
from accounts.selectors import follow_graph, relationships
from accounts.selectors.account_data import email_addresses
from accounts.user_cards import UserCard, cards_by_uid
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.filters import filters_of_viewer, home_kind_choices
from feed.selectors.tags import followed_tags
from feed.selectors.user_lists import owned_lists
from feed.store.filters import Filter
from notifications.kinds import kinds
from notifications.store.preferences import KindPreferences, get_preferences

from . import outbox
from .notes import full_handle
from .people import lists_json

BATCH_SIZE = 500
Rows = Iterator[list[Any]]


def csv_tables(*, uid: int) -> Iterator[tuple[str, Rows]]:
    """Yield ``(file name, rows)`` of each CSV file."""
    yield "following_accounts.csv", _followed_rows(uid)
    yield "followers.csv", _rows(_handles(follow_graph.followers_after, uid=uid), "Account address")
    yield "blocked_accounts.csv", _rows(_handles(relationships.blocked_after, uid=uid))
    yield "muted_accounts.csv", _muted_rows(uid)
    yield "lists.csv", _list_rows(uid)
    yield "private_notes.csv", _note_rows(uid)


def write_csv(*, zip_file: zipfile.ZipFile, file_name: str, rows: Rows) -> None:
    with (
        zip_file.open(file_name, "w") as out,
        io.TextIOWrapper(out, encoding="utf-8", newline="") as text,
    ):
        csv.writer(text).writerows(rows)


def filters_json(*, uid: int) -> list[dict[str, Any]]:
    """Return one object for each filtered phrase, and one with the id of each filtered post."""
    return [
        {
            **matched,
            "action": "warn" if word_filter.should_collapse else "hide",
            "expires_at": word_filter.expires_at and word_filter.expires_at.isoformat(),
        }
        for word_filter in filters_of_viewer(viewer=uid)
        for matched in _matches_of(word_filter)
    ]


def _matches_of(word_filter: Filter) -> Iterator[dict[str, Any]]:
    for phrase in word_filter.phrases:
        yield {"phrase": phrase.text, "whole_word": not phrase.is_part}
    for row in word_filter.posts:
        yield {"post": str(row.post)}


def _followed_rows(uid: int) -> Rows:
    hidden, subscribed = (
        relationships.hidden_users(viewer=uid).shares_hidden,
        follow_graph.subscribed_followees(follower=uid),
    )
    languages = relationships.languages_by_followee(owner=uid)
    yield ["Account address", "Show boosts", "Notify on new posts", "Languages"]
    for handle, (_, followee) in _handles(follow_graph.followees_after, uid=uid):
        yield [
            handle,
            _format_flag(followee not in hidden),
            _format_flag(followee in subscribed),
            ", ".join(languages.get(followee, ())),
        ]


def _muted_rows(uid: int) -> Rows:
    yield ["Account address", "Hide notifications"]
    for handle, (_, _, hides_notifications) in _handles(relationships.muted_after, uid=uid):
        yield [handle, _format_flag(hides_notifications)]


def _list_rows(uid: int) -> Rows:
    for user_list in owned_lists(owner=uid):
        yield from ([user_list.title, handle] for handle in _handles_of(user_list.uids))


def _note_rows(uid: int) -> Rows:
    yield ["Account address", "Note"]
    for handle, (_, text) in _handles(relationships.notes_after, uid_at=0, uid=uid):
        yield [handle, text]


def _rows(handles: Iterable[tuple[str, Any]], *header: str) -> Rows:
    yield from ([title] for title in header)
    yield from ([handle] for handle, _ in handles)


def _handles(
    selector: Any, *, uid_at: int = 1, **arguments: Any
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield ``(username@host, row)`` of all rows of ``selector``, except those of users without a card.

    ``selector`` is called with a cursor for each page. A row begins with its cursor, and has its uid at the
    index ``uid_at``.
    """
    cursor = 0
    while page := selector(**arguments, cursor=cursor, limit=BATCH_SIZE):
        cards = cards_by_uid(uids=[row[uid_at] for row in page])
        yield from ((full_handle(cards[row[uid_at]]), row) for row in page if row[uid_at] in cards)
        cursor = page[-1][0]


def _format_flag(flag: bool) -> str:
    return "true" if flag else "false"


def settings_json(*, owner: User, owner_card: UserCard) -> dict[str, Any]:
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
        # An import features them in this order, the newest last.
        "featured_people": _handles_of(follow_graph.featured_uids(uid=owner.pk)[::-1]),
        "pinned_posts": outbox.pinned_post_urls(owner_card=owner_card),
        "notifications": _notification_preferences(owner.pk),
    }


def _handles_of(uids: Sequence[int]) -> list[str]:
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
