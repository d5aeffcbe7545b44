"""Whom of those one follows follow others: somebody one may know."""

from collections.abc import Sequence

from django.utils import timezone

from accounts.store import edges, relationship_kinds

from .relationships import relationships_from

MAX_FOLLOWEES_EXAMINED = 200
"""Of whom one follows, so many are asked: those followed last."""


def familiar_followers(*, viewer: int, uids: Sequence[int]) -> dict[int, list[int]]:
    """By each of ``uids``, in their order, some of whom the viewer follows who follow them: at most three
    commands. None where the viewer may not know who follows somebody, nor of people who are apart."""
    wanted = list(dict.fromkeys(uids))
    followed = edges.followee_edges_page(
        follower=viewer, below=None, above=None, limit=MAX_FOLLOWEES_EXAMINED
    )
    friends = [one.followee for one in followed]
    asked = relationship_kinds.find_for_viewer(
        viewer=viewer, uids={*wanted, *friends}, now=timezone.now()
    )
    is_to = relationships_from(asked)
    apart = is_to.blocked | is_to.unavailable
    hidden = apart | (is_to.private - is_to.followed) - {viewer}
    open_to_see = [uid for uid in wanted if uid not in hidden]
    found: dict[int, list[int]] = {uid: [] for uid in wanted}
    heard = [uid for uid in friends if uid not in apart]
    for follower, followee in edges.follow_pairs(followers=heard, followees=open_to_see):
        found[followee].append(follower)
    return found
