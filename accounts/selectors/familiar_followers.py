"""Followers of a user whom the viewer follows, too."""

from collections.abc import Sequence

from django.utils import timezone

from accounts.store import edges, relationship_kinds

from .relationships import relationships_from

MAX_FOLLOWEES_EXAMINED = 200
"""How many of the viewer's followees are examined, the last followed first."""


def familiar_followers(*, viewer: int, uids: Sequence[int]) -> dict[int, list[int]]:
    """Return, for each of ``uids`` in their order, the viewer's followees who follow them.

    The lists leave out followees whom the viewer cannot see. They are empty for users whose followers
    the viewer may not see. At most three commands.
    """
    unique_uids = list(dict.fromkeys(uids))
    followee_edges = edges.followee_edges_page(
        follower=viewer, below=None, above=None, limit=MAX_FOLLOWEES_EXAMINED
    )
    followees = [edge.followee for edge in followee_edges]
    relationships = relationships_from(
        relationship_kinds.find_for_viewer(
            viewer=viewer, uids={*unique_uids, *followees}, now=timezone.now()
        )
    )
    invisible = relationships.blocked | relationships.unavailable
    hidden = invisible | (relationships.private - relationships.followed) - {viewer}
    familiar: dict[int, list[int]] = {uid: [] for uid in unique_uids}
    for follower, followee in edges.follow_pairs(
        followers=[uid for uid in followees if uid not in invisible],
        followees=[uid for uid in unique_uids if uid not in hidden],
    ):
        familiar[followee].append(follower)
    return familiar
