"""Archive jobs: which worker has claimed an archive, and its progress.

A worker *claims* an archive by storing a random token (``run_token``). A step is saved only if the token is
still stored. After a minute without a saved step, the worker is considered dead, and another worker may
claim the archive. If the first worker is still alive, its next step raises ClaimLost. So at any time, only
one worker can save steps.
"""

import secrets
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.files.storage import default_storage
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.selectors.profiles import recipient_language
from feed.clip_files import ClaimLost

from .models import Archive

STALE_AFTER = timedelta(minutes=1)
RETRY_INTERVAL = timedelta(minutes=5)
"""How often a waiting archive is enqueued again."""

RETENTION = timedelta(days=7)
MAX_ATTEMPTS = 5
"""After this many consecutive attempts without progress, the archive is marked as failed."""

SAVE_INTERVAL_SECONDS = 1.0
BATCH_SIZE = 100

State = Archive.State
UNFINISHED_STATES = (State.WAITING, State.RUNNING)


def archive_path(*, name: str) -> str:
    """Return the storage path of an archive's file, whose name is ``Archive.file`` or ``run_token``."""
    return f"archives/{name}.zip"


def latest_archive(*, owner: int, kind: str) -> Archive | None:
    return Archive.objects.filter(owner=owner, kind=kind).order_by("-pk").first()


def claim_archive(*, archive_id: int) -> Archive | None:
    """Claim an archive for this worker and return the archive.

    Return None if the archive is missing or finished, or if another worker is active. After
    ``MAX_ATTEMPTS`` attempts without progress, mark the archive as failed and return None. If a dead worker
    left an incomplete file, delete the file.
    """
    free = Archive.objects.filter(pk=archive_id, state__in=UNFINISHED_STATES)
    archive = free.first()
    if archive is None:
        return None
    if archive.state == State.RUNNING and archive.heartbeat_at >= timezone.now() - STALE_AFTER:
        return None
    old_token = archive.run_token
    archive.run_token, archive.attempts = secrets.token_hex(16), archive.attempts + 1
    archive.state, archive.heartbeat_at = State.RUNNING, timezone.now()
    names = ("run_token", "state", "heartbeat_at", "attempts")
    if not free.filter(run_token=old_token).update(
        **{name: getattr(archive, name) for name in names}
    ):
        return None
    if old_token:
        default_storage.delete(archive_path(name=old_token))
    if archive.attempts > MAX_ATTEMPTS:
        with translation.override(recipient_language(uid=archive.owner)):
            error = _("Several attempts failed for an unknown reason. Try again later.")
        fail_archive(archive=archive, error=error)
        return None
    return archive


def save_step(*, archive: Archive, **values: Any) -> None:
    """Save ``values`` in the archive, by default with the current time in ``heartbeat_at``.

    Raises ClaimLost.
    """
    values.setdefault("heartbeat_at", timezone.now())
    for name, value in values.items():
        setattr(archive, name, value)
    claimed = Archive.objects.filter(
        pk=archive.pk, state=State.RUNNING, run_token=archive.run_token
    )
    if not claimed.update(**values):
        raise ClaimLost(str(archive))


def finish_archive(*, archive: Archive, file: str = "") -> None:
    """Mark the archive as done. Raises ClaimLost.

    Store ``file``, the name of an export's file. For an import, delete the uploaded file.
    """
    upload = archive.file
    save_step(archive=archive, state=State.DONE, file=file)
    delete_file(upload)


def fail_archive(*, archive: Archive, error: str) -> None:
    """Mark the archive as failed and delete the upload. The owner sees ``error``. Raises ClaimLost."""
    upload = archive.file
    save_step(archive=archive, state=State.FAILED, error=error[:300], file="")
    delete_file(upload)


def pause_archive(*, archive: Archive, seconds: float) -> None:
    """Give the claim back before the job is finished. It continues after ``seconds``. Raises ClaimLost."""
    heartbeat_at = timezone.now() + timedelta(seconds=seconds)
    save_step(archive=archive, state=State.WAITING, attempts=0, heartbeat_at=heartbeat_at)


def is_running() -> bool:
    """Return whether a worker is active. One command."""
    since = timezone.now() - STALE_AFTER
    return bool(Archive.objects.filter(state=State.RUNNING, heartbeat_at__gte=since).exists())


def postpone_waiting(*, archive_ids: list[int]) -> None:
    """Do not look for these archives again soon, because they may only wait in a long queue."""
    waiting = Archive.objects.filter(pk__in=archive_ids, state=State.WAITING)
    waiting.update(heartbeat_at=timezone.now() + RETRY_INTERVAL)


def stalled_archive_ids() -> list[int]:
    """Return the ids of unfinished archives without an active worker, the longest stalled first."""
    before = timezone.now() - STALE_AFTER
    stalled = Archive.objects.filter(state__in=UNFINISHED_STATES, heartbeat_at__lt=before)
    return list(stalled.order_by("heartbeat_at").values_list("pk", flat=True)[:BATCH_SIZE])


def delete_expired_batch() -> int:
    """Delete a batch of archives older than a week, with their files. Return the number of archives."""
    return _delete(Archive.objects.filter(created_at__lt=timezone.now() - RETENTION)[:BATCH_SIZE])


def delete_archives(*, owner: int) -> None:
    """Delete all archives of a user with their files. Active workers get ClaimLost at the next step."""
    while _delete(Archive.objects.filter(owner=owner)[:BATCH_SIZE]):
        pass


def _delete(queryset: Any) -> int:
    archives = list(queryset)
    for archive in archives:
        delete_file(archive.file)
        delete_file(archive.run_token)
        Archive.objects.filter(pk=archive.pk).delete()
    return len(archives)


def delete_file(name: str) -> None:
    if name:
        default_storage.delete(archive_path(name=name))


class Progress:
    """Counts finished steps and saves the number about once a second, to show that the worker is alive."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._done = archive.done_count
        self._saved_at = 0.0

    def start(self, *, total: int, counts: Mapping[str, int] | None = None) -> None:
        """Save the total number of steps and reset the number of finished steps. Raises ClaimLost."""
        self._done = 0
        save_step(archive=self._archive, done_count=0, total=total, counts=dict(counts or {}))

    def advance(self, by: int = 0) -> None:
        """Count ``by`` further steps as finished. Raises ClaimLost."""
        self._done += by
        if time.monotonic() - self._saved_at >= SAVE_INTERVAL_SECONDS:
            self._saved_at = time.monotonic()
            save_step(archive=self._archive, done_count=self._done)

    def checkpoint(self, *, done: int, counts: Mapping[str, int], **values: Any) -> None:
        """Save that a resumed job can skip the first ``done`` steps. Raises ClaimLost.

        ``counts`` are the results of these steps, ``values`` other fields of the archive.
        """
        self._done = done
        save_step(archive=self._archive, done_count=done, counts=dict(counts), attempts=0, **values)
