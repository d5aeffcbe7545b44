"""Names of users for moderators. Unlike user cards, the names include inactive accounts."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User


@dataclass(frozen=True, slots=True)
class UserName:
    """The name of a user. ``username`` is empty for deleted users, and for the site itself (uid 0)."""

    uid: int
    username: str = ""
    display_name: str = ""

    def __str__(self) -> str:
        if self.username:
            return f"@{self.username}"
        return str(_("deleted user")) if self.uid else str(_("the site"))

    @property
    def url(self) -> str:
        """Return the URL of the user's page in the admin."""
        return reverse("admin:accounts_user_change", args=[self.uid]) if self.username else ""


class UserNames(dict[int, UserName]):
    """Names by uid. Unknown uids have a name too, so that pages can show deleted users."""

    def __missing__(self, uid: int) -> UserName:
        return UserName(uid)


def names_by_uid(*, uids: Iterable[int | None]) -> UserNames:
    """Return the names of the users, with one command."""
    user_ids = {uid for uid in uids if uid}
    rows = User.objects.filter(pk__in=user_ids).values_list("pk", "username", "display_name")
    return UserNames({uid: UserName(uid, username, name) for uid, username, name in rows})
