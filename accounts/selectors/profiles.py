"""Find users by name, and read the data that a profile page shows to its viewer."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone

from accounts.infra.store.unions import read_union
from accounts.infra.time_zones import clean_time_zone
from accounts.languages import message_language
from accounts.models import User
from accounts.profile_pictures import header_url
from accounts.store import audiences, blocks_and_mutes, edges, relationship_kinds, user_notes, users
from accounts.user_cards import ProfileField, UserCard, find_card, profile_fields_from

PROFILE_COLUMNS = ("pk", "bio", "header", "profile_fields", "date_joined")


@dataclass(frozen=True, slots=True)
class Profile:
    """The data of a profile page, without posts.

    If the user blocks the viewer, the counts are 0 and ``bio``, ``header`` and ``profile_fields`` empty.
    """

    user_card: UserCard
    bio: str
    header: str
    """the URL of the header picture, "" if there is none"""
    profile_fields: tuple[ProfileField, ...]
    joined_at: datetime
    follower_count: int
    followee_count: int
    is_private: bool
    """the user approves followers"""
    is_limited: bool
    """moderators limited the user to followers, and the viewer does not follow the user"""
    is_self: bool
    is_following: bool
    is_requested: bool
    """the viewer has sent a follow request"""
    is_followed_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool
    muted_until: datetime | None
    """None also for a permanent mute"""
    hides_shares: bool
    languages: frozenset[str]
    """in which the viewer follows the user, empty for all languages"""
    is_featured: bool
    """the viewer's profile features the user"""
    is_subscribed: bool
    """the viewer is notified of each post of the user"""
    can_view_posts: bool
    note: str
    """the viewer's private note about the user"""
    featured_uids: tuple[int, ...]
    """whom the profile features, newest first, if the viewer may see the posts of the user"""


def get_card_or_404(*, username: str) -> UserCard:
    """Return the card of the active user with this username. Raises Http404 if there is none.

    Views must resolve all usernames in URLs with this function.
    """
    uid = uid_by_username(username=username)
    card = None if uid is None else find_card(uid=uid)
    if card is None:
        raise Http404("No such person.")
    return card


def uid_by_username(*, username: str) -> int | None:
    """Return the uid of the user with this username, even if inactive, or None if there is no such user."""
    return User.objects.filter(username=username.lower()).values_list("pk", flat=True).first()


def active_usernames_among(*, names: Collection[str]) -> frozenset[str]:
    """Return which of these lower-case names belong to active users.

    One command, none if ``names`` is empty.
    """
    if not names:
        return frozenset()
    return frozenset(users.active_usernames(names=names))


def is_private(*, uid: int) -> bool:
    """Return whether this user approves followers."""
    return User.objects.filter(pk=uid, is_private=True).exists()


def uids_without_view_counts(*, uids: Collection[int]) -> set[int]:
    """Return which of these users do not want the views of their posts counted. One command."""
    users = User.objects.filter(pk__in=list(uids), has_view_counts=False)
    return set(users.values_list("pk", flat=True))


def chosen_time_zone(*, uid: int) -> str:
    """Return the time zone that this user chose, or "" if the user did not choose one."""
    chosen = User.objects.filter(pk=uid).values_list("time_zone", flat=True).first()
    return clean_time_zone(chosen or "")


def recipient_language(*, uid: int) -> str:
    """Return the language of mails and pushes to a user. One command."""
    chosen = User.objects.filter(pk=uid).values_list("language", flat=True).first()
    return message_language(chosen=chosen or "")


def is_visible_to_public(*, uid: int) -> bool:
    """Return whether viewers who do not follow this user can find the user's posts."""
    return User.objects.filter(pk=uid, is_private=False, is_limited=False, is_active=True).exists()


def first_uids_of_parts(*, size: int, limit: int) -> list[int]:
    """Divide all users into parts of ``size`` and return the lowest uid of each part.

    One command per part, at most ``limit``, which read only the index of the ids.
    """
    uids = User.objects.order_by("pk").values_list("pk", flat=True)
    first_uids: list[int] = []
    first = uids.first()
    while first is not None and len(first_uids) < limit:
        first_uids.append(first)
        following = uids.filter(pk__gte=first)[size : size + 1]
        first = next(iter(following), None)
    return first_uids


def indexable_usernames(*, first_uid: int, limit: int) -> list[str] | None:
    """Return the usernames that search engines may list, among ``limit`` users from this uid.

    Returns None if there is no user with this uid. One command.
    """
    names = ("pk", "username", "is_active", "is_private", "is_limited", "is_indexable")
    rows = list(User.objects.filter(pk__gte=first_uid).order_by("pk").values_list(*names)[:limit])
    if not rows or rows[0][0] != first_uid:
        return None
    return [
        username
        for _uid, username, is_active, is_private, is_limited, is_indexable in rows
        if is_active and is_indexable and not (is_private or is_limited)
    ]


def get_profile_or_404(*, viewer: int | None, username: str = "", uid: int = 0) -> Profile:
    """Return the profile of the active user with this username or uid. Raises Http404 if there is none.

    A constant number of commands.
    """
    lookup: dict[str, Any] = {"username": username.lower()} if username else {"pk": uid}
    row = User.objects.filter(**lookup).values(*PROFILE_COLUMNS).first()
    card = None if row is None else find_card(uid=row["pk"])
    if row is None or card is None:
        raise Http404("No such person.")
    uid = card.uid
    found = read_union(
        queries=[
            *relationship_kinds.queries_for_viewer(
                viewer=viewer,
                uids=[uid],
                now=timezone.now(),
                include=[
                    relationship_kinds.REQUESTED,
                    relationship_kinds.FOLLOWED_BY,
                    relationship_kinds.SUBSCRIBES,
                    relationship_kinds.FEATURES,
                ],
            ),
            *user_notes.note_queries(owner=viewer, others=[uid]),
            *edges.featured_queries(follower=uid),
        ]
    )
    uids_by_kind = relationship_kinds.uids_by_kind(found=found)
    follower_count = audiences.audience_size(author=uid).follower_count
    followee_count = edges.count_followees(follower=uid)

    def has_kind(kind: str) -> bool:
        return uid in uids_by_kind.of_kind(kind)

    is_self, is_following = viewer == uid, has_kind(relationship_kinds.FOLLOWS)
    is_blocking = has_kind(blocks_and_mutes.BLOCK)
    is_blocked_by = has_kind(blocks_and_mutes.BLOCKED_BY)
    is_self_or_follower = is_self or is_following
    is_limited = has_kind(relationship_kinds.LIMITED) and not is_self_or_follower
    is_text_hidden = is_blocked_by or is_limited
    is_open = is_self_or_follower or not (has_kind(relationship_kinds.PRIVATE) or is_limited)
    can_view_posts = is_open and not (is_blocking or is_blocked_by)
    return Profile(
        user_card=card,
        bio="" if is_text_hidden else row["bio"],
        header="" if is_text_hidden else header_url(name=row["header"]),
        profile_fields=profile_fields_from(stored=() if is_text_hidden else row["profile_fields"]),
        joined_at=row["date_joined"],
        follower_count=0 if is_blocked_by else follower_count,
        followee_count=0 if is_blocked_by else followee_count,
        is_private=has_kind(relationship_kinds.PRIVATE),
        is_limited=is_limited,
        is_self=is_self,
        is_following=is_following,
        is_requested=has_kind(relationship_kinds.REQUESTED) and not is_following,
        is_followed_by=has_kind(relationship_kinds.FOLLOWED_BY),
        is_blocking=is_blocking,
        is_blocked_by=is_blocked_by,
        is_muting=has_kind(blocks_and_mutes.MUTE),
        muted_until=uids_by_kind.muted_until.get(uid),
        hides_shares=has_kind(blocks_and_mutes.HIDE_SHARES),
        languages=uids_by_kind.languages.get(uid, frozenset()),
        is_featured=has_kind(relationship_kinds.FEATURES),
        is_subscribed=has_kind(relationship_kinds.SUBSCRIBES),
        can_view_posts=can_view_posts,
        note=user_notes.notes_in(found=found).get(uid, ""),
        featured_uids=tuple(
            other for _id, other in edges.featured_in(found=found) if can_view_posts
        ),
    )
