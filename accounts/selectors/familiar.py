"""Whom of those one follows follow others: somebody one may know."""

from collections.abc import Sequence

from django.utils import timezone

from accounts.store import edges, standings

from .relations import relations_of

FRIENDS = 200
"""Of whom one follows, so many are asked: those followed last."""


def familiar_followers(*, viewer: int, uids: Sequence[int]) -> dict[int, list[int]]:
    """By each of ``uids``, in their order, some of whom the viewer follows who follow them: at most three
    commands. None where the viewer may not know who follows somebody, nor of people who are apart."""
    wanted = list(dict.fromkeys(uids))
    followed = edges.page_of_followees(follower=viewer, below=None, above=None, limit=FRIENDS)
    friends = [one.followee for one in followed]
    asked = standings.towards(viewer=viewer, uids={*wanted, *friends}, now=timezone.now())
    is_to = relations_of(asked)
    apart = is_to.blocks | is_to.gone
    hidden = apart | (is_to.private - is_to.follows) - {viewer}
    open_to_see = [uid for uid in wanted if uid not in hidden]
    found: dict[int, list[int]] = {uid: [] for uid in wanted}
    heard = [uid for uid in friends if uid not in apart]
    for follower, followee in edges.pairs_among(followers=heard, followees=open_to_see):
        found[followee].append(follower)
    return found
