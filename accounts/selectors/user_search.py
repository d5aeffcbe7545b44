"""People found by how their user name or name begins."""

from accounts.store import edges, name_search

from .user_pages import UserRow, user_rows

MAX_MATCHES = 20
"""So many by their user names and so many by their names: who looks for one of more types more."""

MAX_EXAMINED = 400


def search_users(*, text: str, viewer: int | None) -> tuple[UserRow, ...]:
    """Whoever is called so, by user name before name, but for those apart from the viewer by a block."""
    wanted = text.lstrip("@\uff20").strip()
    uids = name_search.uids_by_prefix(text=wanted, limit=MAX_MATCHES) if wanted else []
    return user_rows(uids=uids, viewer=viewer) if uids else ()


def search_users_page(
    *, text: str, viewer: int | None, limit: int, offset: int = 0, only_followed: bool = False
) -> tuple[UserRow, ...]:
    """As ``found_people``, from ``offset`` on and at most ``limit``; ``is_followed``: only whom the viewer
    follows. Nobody is found beyond the first ``EXAMINED``."""
    wanted = text.lstrip("@\uff20").strip()
    if not wanted or offset >= MAX_EXAMINED:
        return ()
    examined = MAX_EXAMINED if only_followed else min(MAX_EXAMINED, offset + limit)
    uids = name_search.uids_by_prefix(text=wanted, limit=examined)[:examined]
    if not only_followed:
        return user_rows(uids=uids[offset:], viewer=viewer)
    followed = edges.followees_among(follower=viewer, uids=uids) if viewer is not None else set()
    found = [uid for uid in uids if uid in followed]
    return user_rows(uids=found[offset : offset + limit], viewer=viewer)
