"""Find users by name, and read the data that a profile page shows to its viewer."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404

from accounts.infra.store.unions import read_union
from accounts.infra.time_zones import clean_time_zone
from accounts.languages import message_language
from accounts.models import User
from accounts.profile_pictures import header_url
from accounts.store import audiences, edges, relationship_kinds, user_notes, users
from accounts.user_cards import ProfileField, UserCard, find_card, profile_fields_from
from accounts.usernames import local_username

from .relationships import RelationshipDetails, detail_queries, detail_values

PROFILE_COLUMNS = ("pk", "bio", "header", "profile_fields", "date_joined")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(RelationshipDetails):
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
    can_view_posts: bool
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
    """Return the uid of the user with this username, with or without host, even if inactive, or None."""
    name = local_username(username)
    return User.objects.filter(username=name).values_list("pk", flat=True).first()


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
    lookup: dict[str, Any] = {"username": local_username(username)} if username else {"pk": uid}
    row = User.objects.filter(**lookup).values(*PROFILE_COLUMNS).first()
    card = None if row is None else find_card(uid=row["pk"])
    if row is None or card is None:
        raise Http404("No such person.")
    uid = card.uid
    queries = detail_queries(viewer=viewer, uids=[uid])
    union = read_union(queries=[*queries, *edges.featured_queries(follower=uid)])
    uids_by_kind = relationship_kinds.uids_by_kind(union=union)
    details = detail_values(uid, uids_by_kind, user_notes.notes_in(union=union))
    follower_count = audiences.audience_size(author=uid).follower_count
    followee_count = edges.count_followees(follower=uid)
    is_private = uid in uids_by_kind.of_kind(relationship_kinds.PRIVATE)
    is_blocked_by: bool = details["is_blocked_by"]
    is_self_or_follower = viewer == uid or details["is_following"]
    is_limited = uid in uids_by_kind.of_kind(relationship_kinds.LIMITED) and not is_self_or_follower
    is_text_hidden = is_blocked_by or is_limited
    is_open = is_self_or_follower or not (is_private or is_limited)
    can_view_posts = is_open and not (details["is_blocking"] or is_blocked_by)
    return Profile(
        **details,
        user_card=card,
        bio="" if is_text_hidden else row["bio"],
        header="" if is_text_hidden else header_url(name=row["header"]),
        profile_fields=profile_fields_from(stored=() if is_text_hidden else row["profile_fields"]),
        joined_at=row["date_joined"],
        follower_count=0 if is_blocked_by else follower_count,
        followee_count=0 if is_blocked_by else followee_count,
        is_private=is_private,
        is_limited=is_limited,
        is_self=viewer == uid,
        can_view_posts=can_view_posts,
        featured_uids=tuple(
            other for _id, other in edges.featured_in(union=union) if can_view_posts
        ),
    )
