"""What people can do: follow, unfollow, change their profile, take another name.

Each function is one transaction and one announcement after its commit.
"""

from collections.abc import Mapping, Sequence

from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from . import avatars, signals
from .ids import new_id
from .models import User
from .store import audiences, bulk, edges
from .transactions import PATIENT_ATTEMPTS, on_commit, transactional


class CannotFollow(ValueError):
    """Following is refused; the message is for the person."""


def follow(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` from now on; False if they did already.

    Raises CannotFollow for oneself and for people who are gone.
    """
    if follower == followee:
        raise CannotFollow(_("You cannot follow yourself."))
    if not User.objects.filter(pk=followee, is_active=True).exists():
        raise CannotFollow(_("This person is not here any more."))
    return _follow(follower=follower, followee=followee)


@transactional(retry_duplicate_keys=True)
def _follow(*, follower: int, followee: int) -> bool:
    if edges.get(follower=follower, followee=followee) is not None:
        return False
    bucket = audiences.add(author=followee, follower=follower)
    edge = edges.Edge(id=new_id(), follower=follower, followee=followee, bucket=bucket)
    edges.insert(edge=edge, at=timezone.now())
    _announce(signals.followed, follower=follower, followee=followee)
    return True


@transactional(retry_duplicate_keys=True)
def unfollow(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` no longer; False if they did not. Acts at once on timelines."""
    edge = edges.get(follower=follower, followee=followee)
    if edge is None:
        return False
    audiences.remove(author=followee, follower=follower, seq=edge.bucket)
    edges.delete(edge=edge)
    _announce(signals.unfollowed, follower=follower, followee=followee)
    return True


def finish_backfill(*, edge_id: int) -> None:
    """The feed has brought the followee's older posts over."""
    edges.clear_backfill(edge_id=edge_id)


@transactional(retry_duplicate_keys=True, attempts=PATIENT_ATTEMPTS)
def add_people(*, people: Sequence[User]) -> dict[str, int]:
    """Sign up many people at once; who has a name already stays as they are. Returns uids by name."""
    names = [person.username for person in people]
    there = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    new = [person for person in people if person.username not in there]
    User.objects.bulk_create(new)
    return there | {person.username: person.pk for person in new}


@transactional(retry_duplicate_keys=True, attempts=PATIENT_ATTEMPTS)
def add_followers(*, followers: Mapping[int, Sequence[int]]) -> int:
    """Many follow at once (followers by followee); returns how many did not before.

    One transaction: give it a few thousand at a time. Nothing is announced for each; call
    ``announce_added_followers`` in the end.
    """
    new = {
        followee: bulk.lacking(followee=followee, followers=(u for u in uids if u != followee))
        for followee, uids in followers.items()
    }
    placed = bulk.add_to_audiences(followers=new)
    added = [edges.Edge(new_id(), follower, author, seq) for author, follower, seq in placed]
    if added:
        bulk.insert_edges(edges=added, at=timezone.now())
    return len(added)


def announce_added_followers() -> None:
    _announce(signals.followers_added)


def finish_backfills(*, edge_ids: Sequence[int]) -> None:
    """As ``finish_backfill``, for many."""
    bulk.clear_backfills(edge_ids=edge_ids)


class NameTaken(ValueError):
    """Somebody else has this user name."""


@transactional()
def update_profile(*, uid: int, display_name: str, bio: str) -> None:
    user = User.objects.get(pk=uid)
    user.display_name, user.bio = display_name, bio
    user.save(update_fields=["display_name", "bio"])


def rename(*, uid: int, username: str) -> None:
    """Give the person another user name; posts and lists show it at once. Raises NameTaken."""
    try:
        _rename(uid=uid, username=username.lower())
    except IntegrityError as error:
        raise NameTaken(username) from error


@transactional()
def _rename(*, uid: int, username: str) -> None:
    user = User.objects.get(pk=uid)
    user.username = username
    user.save(update_fields=["username"])


def change_avatar(*, uid: int, picture: bytes | None) -> None:
    """Show this picture (of ``avatars.reencode``) from now on, or with None the drawn one.

    The old file is deleted.
    """
    name = "" if picture is None else avatars.store(uid=uid, picture=picture)
    old = _set_avatar(uid=uid, name=name)
    if old and old != name:
        default_storage.delete(avatars.path(name=old))


@transactional()
def _set_avatar(*, uid: int, name: str) -> str:
    user = User.objects.get(pk=uid)
    old, user.avatar = user.avatar, name
    user.save(update_fields=["avatar"])
    return old


def _announce(signal: Signal, **ids: int) -> None:
    on_commit(lambda: signal.send_robust(sender=None, **ids))
