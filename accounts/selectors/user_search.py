"""Search for users by the beginning of their names."""

from accounts.store import edges, name_search

from .user_pages import UserRow, user_rows

MAX_MATCHES = 20
"""Maximum number of matches of each kind: by username, by display name and by word. Viewers find further
users by typing a longer text."""

MAX_EXAMINED = 400


def search_users(*, text: str, viewer: int | None) -> tuple[UserRow, ...]:
    """Return matching users without blocked users. Username matches come before display name matches."""
    prefix = _prefix(text)
    uids = name_search.uids_by_prefix(text=prefix, limit=MAX_MATCHES) if prefix else []
    return user_rows(uids=uids, viewer=viewer) if uids else ()


def search_users_page(
    *, text: str, viewer: int | None, limit: int, offset: int = 0, only_followed: bool = False
) -> tuple[UserRow, ...]:
    """Return up to ``limit`` matching users from ``offset``, in the order of ``search_users``.

    Examines only the first ``MAX_EXAMINED`` matches.

    Args:
        only_followed: leave out users whom the viewer does not follow.
    """
    prefix = _prefix(text)
    if not prefix or offset >= MAX_EXAMINED:
        return ()
    examined = MAX_EXAMINED if only_followed else min(MAX_EXAMINED, offset + limit)
    uids = name_search.uids_by_prefix(text=prefix, limit=examined)[:examined]
    if not only_followed:
        return user_rows(uids=uids[offset:], viewer=viewer)
    followed = edges.followees_among(follower=viewer, uids=uids) if viewer is not None else set()
    followed_uids = [uid for uid in uids if uid in followed]
    return user_rows(uids=followed_uids[offset : offset + limit], viewer=viewer)


def _prefix(text: str) -> str:
    """Return the text to search for, without a leading @ or full-width @."""
    return text.lstrip("@\uff20").strip()
