"""Who is meant by a uid, for moderators: also people whose accounts are closed, who have no card."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User


@dataclass(frozen=True, slots=True)
class UserName:
    """``username`` is empty of who is gone, and of the site itself (uid 0)."""

    uid: int
    username: str = ""
    display_name: str = ""

    def __str__(self) -> str:
        if self.username:
            return f"@{self.username}"
        return str(_("somebody who is gone")) if self.uid else str(_("the site"))

    @property
    def url(self) -> str:
        """Their page in the admin."""
        return reverse("admin:accounts_user_change", args=[self.uid]) if self.username else ""


class UserNames(dict[int, UserName]):
    def __missing__(self, uid: int) -> UserName:
        return UserName(uid)


def names_by_uid(*, uids: Iterable[int | None]) -> UserNames:
    """Everybody who is asked for: one command, however many."""
    wanted = {uid for uid in uids if uid}
    found = User.objects.filter(pk__in=wanted).values_list("pk", "username", "display_name")
    return UserNames({uid: UserName(uid, username, name) for uid, username, name in found})
