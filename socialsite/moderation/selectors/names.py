"""Who is meant by a uid, for moderators: also people whose accounts are closed, who have no card."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User


@dataclass(frozen=True, slots=True)
class Named:
    """``username`` is empty of who is gone, and of the site itself (uid 0)."""

    uid: int
    username: str = ""
    name: str = ""

    def __str__(self) -> str:
        if self.username:
            return f"@{self.username}"
        return str(_("somebody who is gone")) if self.uid else str(_("the site"))

    @property
    def url(self) -> str:
        """Their page in the admin."""
        return reverse("admin:accounts_user_change", args=[self.uid]) if self.username else ""


class Names(dict[int, Named]):
    def __missing__(self, uid: int) -> Named:
        return Named(uid)


def named(*, uids: Iterable[int | None]) -> Names:
    """Everybody who is asked for: one command, however many."""
    wanted = {uid for uid in uids if uid}
    found = User.objects.filter(pk__in=wanted).values_list("pk", "username", "display_name")
    return Names({uid: Named(uid, username, name) for uid, username, name in found})
