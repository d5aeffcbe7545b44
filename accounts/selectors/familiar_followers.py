"""Those followers of a user who are also followed by the viewer."""

from collections.abc import Sequence

from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.store import edges, relationship_kinds

from .relationships import relationships_from

MAX_FOLLOWEES_EXAMINED = 200
"""Maximum number of the viewer's followees to examine, starting with the most recently followed."""


def familiar_followers(*, viewer: int, uids: Sequence[int]) -> dict[int, list[int]]:
    """Return, for each user, which of the viewer's followees follow that user. At most three commands.

    The result has the order of ``uids``. It leaves out followees who are invisible to the viewer. The list
    of a user is empty if the viewer may not see that user's followers.
    """
    unique_uids = list(dict.fromkeys(uids))
    newest = PageBounds(limit=MAX_FOLLOWEES_EXAMINED)
    followee_edges = edges.followee_edges_page(follower=viewer, bounds=newest)
    followees = [edge.followee for edge in followee_edges]
    relationships = relationships_from(
        relationship_kinds.find_for_viewer(
            viewer=viewer, uids={*unique_uids, *followees}, now=timezone.now()
        )
    )
    invisible = relationships.invisible
    hidden = invisible | (relationships.private - relationships.followed) - {viewer}
    familiar: dict[int, list[int]] = {uid: [] for uid in unique_uids}
    for follower, followee in edges.follow_pairs(
        followers=[uid for uid in followees if uid not in invisible],
        followees=[uid for uid in unique_uids if uid not in hidden],
    ):
        familiar[followee].append(follower)
    return familiar
