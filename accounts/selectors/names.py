"""People found by how their user name or name begins."""

from accounts.store import edges, names

from .pages import PersonRow, people_rows

FOUND = 20
"""So many by their user names and so many by their names: who looks for one of more types more."""

EXAMINED = 400


def found_people(*, text: str, viewer: int | None) -> tuple[PersonRow, ...]:
    """Whoever is called so, by user name before name, but for those apart from the viewer by a block."""
    wanted = text.lstrip("@\uff20").strip()
    uids = names.beginning_with(text=wanted, limit=FOUND) if wanted else []
    return people_rows(uids=uids, viewer=viewer) if uids else ()


def matching_people(
    *, text: str, viewer: int | None, limit: int, offset: int = 0, is_followed: bool = False
) -> tuple[PersonRow, ...]:
    """As ``found_people``, from ``offset`` on and at most ``limit``; ``is_followed``: only whom the viewer
    follows. Nobody is found beyond the first ``EXAMINED``."""
    wanted = text.lstrip("@\uff20").strip()
    if not wanted or offset >= EXAMINED:
        return ()
    examined = EXAMINED if is_followed else min(EXAMINED, offset + limit)
    uids = names.beginning_with(text=wanted, limit=examined)[:examined]
    if not is_followed:
        return people_rows(uids=uids[offset:], viewer=viewer)
    followed = edges.followees_among(follower=viewer, uids=uids) if viewer is not None else set()
    found = [uid for uid in uids if uid in followed]
    return people_rows(uids=found[offset : offset + limit], viewer=viewer)
