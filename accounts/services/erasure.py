"""Erase a user: the user's data in this app, then in other apps, then the user's own row.

The signal ``user_erasure_started`` tells the other apps to delete their data. Each step is safe to repeat
and may be interrupted anywhere. While the row exists, the user stays due for erasure. So the next run of
the periodic task or the management command resumes the erasure.
"""

from collections.abc import Iterator

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts import profile_pictures, signals, user_cards
from accounts.infra import pictures, rate_limits
from accounts.infra.cursors import PageBounds
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, transactional
from accounts.models import User
from accounts.selectors import access_tokens
from accounts.selectors.suggestions import candidates_key, dismissed_key
from accounts.store import (
    audiences,
    blocks_and_mutes,
    edges,
    follow_requests,
    pair_locks,
    user_notes,
    users,
)

from .account_status import send_account_mail
from .follow_requests import delete_follow_permanently
from .sessions import end_sessions

BATCH_SIZE = 200


def users_to_erase() -> Iterator[int]:
    """Return the uids of users who are due for erasure, the longest overdue first."""
    return users.users_to_erase(at=timezone.now())


def erase_user(*, uid: int) -> bool:
    """Erase a user now and confirm it by mail. Return False if there is no such user.

    Raises the first exception of a receiver of ``user_erasure_started``. The user then still exists and
    stays due for erasure.
    """
    is_locked = users.lock_for_erasure(uid=uid, at=timezone.now(), password=make_password(None))
    user = User.objects.filter(pk=uid).first()
    if user is None or not is_locked:
        return False
    user_cards.refresh_card(uid=uid)
    access_tokens.clear_cache()
    end_sessions(uid=uid)
    _delete_relationships(uid)
    results = signals.user_erasure_started.send_robust(sender=None, uid=uid)
    for _receiver, result in results:
        if isinstance(result, Exception):
            raise result
    _delete_pictures(uid)
    cache.delete_many([candidates_key(uid=uid), dismissed_key(uid=uid)])
    rate_limits.delete_counts(uid=uid)
    _delete_user(user)
    if user.email:
        send_account_mail(user=user, template_name="account_deleted")
    return True


def _delete_relationships(uid: int) -> None:
    # A famous user may have a million followers. One command deletes all of their edges, without a signal
    # for each: receivers of ``unfollowed`` handle ``user_erasure_started`` as well. Follows that an unblock
    # would restore are part of the blocks, which are deleted below.
    edges.delete_edges_to(followee=uid)
    while page := edges.followee_edges_page(follower=uid, bounds=PageBounds(BATCH_SIZE)):
        for edge in page:
            _unfollow(uid, edge.followee)
    follow_requests.delete_all_of_user(uid=uid)
    blocks_and_mutes.delete_all_of_user(uid=uid)
    user_notes.delete_all_of_user(uid=uid)
    audiences.delete_audience(author=uid)


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def _unfollow(follower: int, followee: int) -> None:
    pair_locks.lock_pair(uid=follower, other_uid=followee)
    delete_follow_permanently(follower=follower, followee=followee)


def _delete_pictures(uid: int) -> None:
    """Delete all pictures of a user, including pictures that an interrupted change left behind."""
    folders = [kind.folder for kind in profile_pictures.KINDS]
    for folder in (*folders, *(pictures.hidden_path(path=folder) for folder in folders)):
        for name in pictures.stored_names(folder=folder, prefix=f"{uid}-"):
            default_storage.delete(f"{folder}/{name}")


@transactional(max_attempts=BACKGROUND_ATTEMPTS)
def _delete_user(user: User) -> None:
    """Delete the user and all rows that refer to the user.

    These are email addresses, second factors, permissions, and entries of the admin log about the user.
    """
    user_type = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=user_type, object_id=str(user.pk)).delete()
    User.objects.filter(pk=user.pk).delete()
