"""Everybody whom strangers may find, for programs that show a directory."""

from accounts.models import User

from .pages import PersonRow, people_rows


def directory(*, viewer: int | None, limit: int, offset: int = 0) -> tuple[PersonRow, ...]:
    """The newest first, but for who approves followers or is kept from strangers by moderators."""
    listed = User.objects.filter(is_active=True, is_private=False, is_limited=False)
    found = listed.order_by("-pk").values_list("pk", flat=True)[offset : offset + limit]
    return people_rows(uids=list(found), viewer=viewer)
