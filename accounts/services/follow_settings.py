"""Settings of a follow: which posts the home timeline shows, which posts notify the follower, and whether
the profile features the followed user.

The settings of a follow request apply once it is accepted. They end with the follow or request. A block
keeps the hidden shares and the languages for the follow that it restores.
"""

from collections.abc import Iterable

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.store import blocks_and_mutes, edges, follow_requests, pair_locks
from accounts.user_cards import cards_by_uid

MAX_FEATURED_PEOPLE = 10
MAX_LANGUAGES = 200
"""Maximum number of languages that apps and archives can name. Fewer codes have two letters."""


@transactional(retry_duplicate_keys=True)
def set_subscription(*, follower: int, followee: int, is_on: bool) -> bool:
    """Turn notifications about each post of a followed user on or off.

    Return False if the follower has neither followed nor requested to. Safe to repeat.
    """
    pair_locks.lock_pair(uid=follower, other_uid=followee)
    return edges.set_notify(
        follower=follower, followee=followee, is_on=is_on
    ) or follow_requests.set_notify(follower=follower, followee=followee, is_on=is_on)


def hide_shares(*, owner: int, other: int, is_hidden: bool) -> bool:
    """Hide or show the shares of a followed user.

    Return False if the owner has neither followed nor requested to. Safe to repeat.
    """
    return _save_setting(
        owner=owner, other=other, kind=blocks_and_mutes.HIDE_SHARES, is_on=is_hidden
    )


def set_languages(*, follower: int, followee: int, languages: Iterable[str]) -> bool:
    """Show posts of a followed user only in these languages, in all languages if there are none.

    Posts without a language are always shown. Return False if the follower has neither followed nor
    requested to. Safe to repeat.
    """
    codes = sorted(set(languages))
    return _save_setting(
        owner=follower,
        other=followee,
        kind=blocks_and_mutes.LANGUAGES,
        is_on=bool(codes),
        languages=codes,
    )


@transactional(retry_duplicate_keys=True)
def _save_setting(
    *, owner: int, other: int, kind: str, is_on: bool, languages: Iterable[str] = ()
) -> bool:
    pair_locks.lock_pair(uid=owner, other_uid=other)
    if edges.find_edge(follower=owner, followee=other) is None and not follow_requests.has_request(
        follower=owner, followee=other
    ):
        return False
    if is_on:
        blocks_and_mutes.save_follow_setting(
            insert_id=new_id(),
            owner=owner,
            other=other,
            kind=kind,
            at=timezone.now(),
            languages=list(languages),
        )
    else:
        blocks_and_mutes.delete_follow_settings(owner=owner, other=other, kinds=[kind])
    return True


@transactional(retry_duplicate_keys=True)
def feature_user(*, owner: int, other: int) -> None:
    """Feature a followed user on the owner's profile. Safe to repeat.

    The end of the follow also ends this. Raises Refused if the owner does not follow the user, or
    features ``MAX_FEATURED_PEOPLE`` others. Inactive users do not count, because the profile does not show
    them, so the owner could not remove them. If they return, the profile may show more than the limit.
    """
    # Without this conflict, concurrent calls about different users could exceed the limit.
    pair_locks.lock_pair(uid=owner, other_uid=owner)
    featured_uids = [uid for _id, uid in edges.featured_followees(follower=owner)]
    if other in featured_uids:
        return
    if len(cards_by_uid(uids=featured_uids)) >= MAX_FEATURED_PEOPLE:
        raise Refused(
            _("You can feature up to %(most)d people. Remove someone from your profile first.")
            % {"most": MAX_FEATURED_PEOPLE}
        )
    if not edges.set_featured(follower=owner, followee=other, featured_id=new_id()):
        raise Refused(_("You can feature only people you follow."))


@transactional()
def unfeature_user(*, owner: int, other: int) -> None:
    """Remove a user from the owner's profile. Safe to repeat."""
    edges.set_featured(follower=owner, followee=other, featured_id=None)
