"""Feature followed users on the own profile."""

from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.store import edges, pair_locks
from accounts.user_cards import cards_by_uid

MAX_FEATURED_PEOPLE = 10


class CannotFeature(Refused):
    """Featuring a user is refused. The message is for the user."""


@transactional(retry_duplicate_keys=True)
def feature_user(*, owner: int, other: int) -> None:
    """Feature a followed user on the owner's profile. Safe to repeat.

    The end of the follow also ends this. Raises CannotFeature if the owner does not follow the user, or
    features ``MAX_FEATURED_PEOPLE`` others. Inactive users do not count, because the profile does not show
    them, so the owner could not remove them. If they return, the profile may show more than the limit.
    """
    # Without this conflict, concurrent calls about different users could exceed the limit.
    pair_locks.lock_pair(uid=owner, other_uid=owner)
    featured_uids = [uid for _id, uid in edges.featured_followees(follower=owner)]
    if other in featured_uids:
        return
    if len(cards_by_uid(uids=featured_uids)) >= MAX_FEATURED_PEOPLE:
        raise CannotFeature(
            _("You can feature up to %(most)d people. Remove someone from your profile first.")
            % {"most": MAX_FEATURED_PEOPLE}
        )
    if not edges.set_featured(follower=owner, followee=other, featured_id=new_id()):
        raise CannotFeature(_("You can feature only people you follow."))


@transactional()
def unfeature_user(*, owner: int, other: int) -> None:
    """Remove a user from the owner's profile. Safe to repeat."""
    edges.set_featured(follower=owner, followee=other, featured_id=None)
