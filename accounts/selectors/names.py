"""People found by how their user name or name begins."""

from accounts.store import names

from .pages import PersonRow, people_rows

FOUND = 20
"""So many by their user names and so many by their names: who looks for one of more types more."""


def found_people(*, text: str, viewer: int | None) -> tuple[PersonRow, ...]:
    """Whoever is called so, by user name before name, but for those apart from the viewer by a block."""
    wanted = text.lstrip("@\uff20").strip()
    uids = names.beginning_with(text=wanted, limit=FOUND) if wanted else []
    return people_rows(uids=uids, viewer=viewer) if uids else ()
