"""What somebody has chosen on this site. No other site can do anything with it, so its form is our own."""

from typing import Any

from accounts import selectors as people
from accounts.models import User
from accounts.user_cards import UserCard
from feed import signals
from feed.selectors import followed_tags, shown_kinds

from . import outbox


def preferences(*, owner: User, me: UserCard) -> dict[str, Any]:
    """With those of other apps (``signals.preferences_exported``). What goes wrong there is raised: an
    archive without them would say that nothing was chosen."""
    answers: Any = signals.preferences_exported.send(sender=None, uid=owner.pk)
    return {
        "email": owner.email,
        "email_addresses": [
            {"address": address, "is_confirmed": is_confirmed}
            for address, is_confirmed in people.mail_addresses(uid=owner.pk)
        ],
        "approves_followers": owner.is_private,
        "shown_at_home": [kind.name for kind, is_shown in shown_kinds(reader=owner.pk) if is_shown],
        "followed_hashtags": followed_tags(reader=owner.pk),
        "pinned_posts": outbox.pinned(me=me),
        **{name: chosen for _receiver, (name, chosen) in answers},
    }
