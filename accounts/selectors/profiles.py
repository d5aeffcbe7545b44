"""A person by their name, and what their page says to its viewer."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone

from accounts.models import User
from accounts.store import audiences, blocks_and_mutes, edges, relationship_kinds
from accounts.user_cards import UserCard, find_card


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's page, without their posts. To somebody whom they block it says neither what they wrote
    about themselves nor who follows them: ``bio`` is "" and the counts are 0."""

    user_card: UserCard
    bio: str
    joined_at: datetime
    follower_count: int
    followee_count: int
    is_private: bool
    """they approve their followers"""
    is_limited: bool
    """moderators keep what they do from strangers, such as the viewer"""
    is_self: bool
    is_following: bool
    is_requested: bool
    """the viewer has asked to follow them"""
    is_followed_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool
    muted_until: datetime | None
    """None of a mute for good, too"""
    hides_shares: bool
    can_view_posts: bool


def get_card_or_404(*, username: str) -> UserCard:
    """The one road from a name in a URL to a person. Raises Http404."""
    uid = uid_by_username(username=username)
    found = None if uid is None else find_card(uid=uid)
    if found is None:
        raise Http404("No such person.")
    return found


def uid_by_username(*, username: str) -> int | None:
    """Also of people whose accounts are closed."""
    return User.objects.filter(username=username.lower()).values_list("pk", flat=True).first()


def active_usernames_among(*, names: Collection[str]) -> frozenset[str]:
    """Those of these names, in lower case, that active users have. One command; none without names."""
    if not names:
        return frozenset()
    there = User.objects.filter(username__in=list(names), is_active=True)
    return frozenset(there.values_list("username", flat=True))


def is_private(*, uid: int) -> bool:
    """Whether this person approves their followers."""
    return User.objects.filter(pk=uid, is_private=True).exists()


def uids_without_view_counts(*, uids: Collection[int]) -> set[int]:
    """Return those of these users who do not want views of their posts counted. One command."""
    silent = User.objects.filter(pk__in=list(uids), has_view_counts=False)
    return set(silent.values_list("pk", flat=True))


def is_visible_to_public(*, uid: int) -> bool:
    """Whether strangers find what this person says."""
    return User.objects.filter(pk=uid, is_private=False, is_limited=False, is_active=True).exists()


def get_profile_or_404(*, username: str, viewer: int | None) -> Profile:
    """A constant number of commands. Raises Http404."""
    return _profile({"username": username.lower()}, viewer)


def get_profile_by_id_or_404(*, uid: int, viewer: int | None) -> Profile:
    """As ``profile``."""
    return _profile({"pk": uid}, viewer)


def _profile(whose: dict[str, Any], viewer: int | None) -> Profile:
    row = User.objects.filter(**whose).values("pk", "bio", "date_joined").first()
    who = None if row is None else find_card(uid=row["pk"])
    if row is None or who is None:
        raise Http404("No such person.")
    uid = who.uid
    stands = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=[uid],
        now=timezone.now(),
        include_requests=True,
        include_followers=True,
    )
    followers_count = audiences.audience_size(author=uid).follower_count
    following_count = edges.count_followees(follower=uid)

    def so(kind: str) -> bool:
        return uid in stands.of_kind(kind)

    is_self, is_following = viewer == uid, so(relationship_kinds.FOLLOWS)
    blocks_them, blocked_by_them = so(blocks_and_mutes.BLOCK), so(blocks_and_mutes.BLOCKED_BY)
    is_near = is_self or is_following
    is_limited = so(relationship_kinds.LIMITED) and not is_near
    is_open = is_near or not (so(relationship_kinds.PRIVATE) or is_limited)
    return Profile(
        user_card=who,
        bio="" if blocked_by_them or is_limited else row["bio"],
        joined_at=row["date_joined"],
        follower_count=0 if blocked_by_them else followers_count,
        followee_count=0 if blocked_by_them else following_count,
        is_private=so(relationship_kinds.PRIVATE),
        is_limited=is_limited,
        is_self=is_self,
        is_following=is_following,
        is_requested=so(relationship_kinds.REQUESTED) and not is_following,
        is_followed_by=so(relationship_kinds.FOLLOWED_BY),
        is_blocking=blocks_them,
        is_blocked_by=blocked_by_them,
        is_muting=so(blocks_and_mutes.MUTE),
        muted_until=stands.muted_until.get(uid),
        hides_shares=so(blocks_and_mutes.HIDE_SHARES),
        can_view_posts=is_open and not (blocks_them or blocked_by_them),
    )
