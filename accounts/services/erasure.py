"""Everything of a person goes: what hangs on them here, what others keep of them (``person_erased``), and
the person last.

Each step may be done twice and stop anywhere. Until the person is gone they are due, so whoever comes next
(``tasks.erase_due``, ``manage.py erase_people``) goes on.
"""

from collections.abc import Iterator

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts import avatars, signals, user_cards
from accounts.infra import pictures, rate_limits
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, transactional
from accounts.models import User
from accounts.store import (
    account_status,
    audiences,
    blocks_and_mutes,
    edges,
    follow_requests,
    pair_locks,
)

from .account_mail import send_account_mail
from .follow_edges import delete_follow_permanently
from .sessions import end_sessions

BATCH_SIZE = 200


def users_to_erase() -> Iterator[int]:
    """Uids of those whose time has come, the longest waiting first."""
    return account_status.users_to_erase(at=timezone.now())


def erase_user(*, uid: int) -> bool:
    """Now, and for good; a mail says when it is done. False if there is no such person.

    Raises what a receiver of ``person_erased`` raised; then the person is still there, and still due.
    """
    is_there = account_status.lock_for_erasure(
        uid=uid, at=timezone.now(), password=make_password(None)
    )
    user = User.objects.filter(pk=uid).first()
    if user is None or not is_there:
        return False
    user_cards.refresh_card(uid=uid)
    end_sessions(uid=uid)
    _leave_everybody(uid)
    heard = signals.user_erasure_started.send_robust(sender=None, uid=uid)
    for _receiver, answer in heard:
        if isinstance(answer, Exception):
            raise answer
    _delete_pictures(uid)
    cache.delete_many([f"suggested:{uid}", f"not_suggested:{uid}"])
    rate_limits.delete_counts(uid=uid)
    _delete(user)
    if user.email:
        send_account_mail(to=user.email, template_name="erased", person=user.username)
    return True


def _leave_everybody(uid: int) -> None:
    # Of somebody famous there may be a million: all at once, and nobody hears of each. Whoever listens to
    # that hears that the person is erased, too; what blocks would restore goes with the blocks below.
    edges.delete_edges_to(followee=uid)
    while away := edges.followee_edges_page(follower=uid, below=None, above=None, limit=BATCH_SIZE):
        for edge in away:
            _unfollow(uid, edge.followee)
    follow_requests.delete_all_of_user(uid=uid)
    blocks_and_mutes.delete_all_of_user(uid=uid)
    audiences.delete_audience(author=uid)


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def _unfollow(follower: int, followee: int) -> None:
    pair_locks.lock_pair(one=follower, other=followee)
    delete_follow_permanently(follower=follower, followee=followee)


def _delete_pictures(uid: int) -> None:
    """Also such as a change of pictures that was interrupted has left."""
    for folder in (avatars.FOLDER, pictures.hidden_path(path=avatars.FOLDER)):
        if not default_storage.exists(folder):
            continue
        for name in default_storage.listdir(folder)[1]:
            if name.startswith(f"{uid}-"):
                default_storage.delete(f"{folder}/{name}")


@transactional(max_attempts=BACKGROUND_ATTEMPTS)
def _delete(user: User) -> None:
    """With all that refers to them: addresses, second factors, rights, and what they did in the admin."""
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=people, object_id=str(user.pk)).delete()
    User.objects.filter(pk=user.pk).delete()
