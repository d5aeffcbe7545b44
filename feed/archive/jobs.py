"""The record of an archive: who works on it, and how far that is.

A worker *claims* a record and gets a word of its own (``run``); each step it notes is written only while
that word stands. Who did not note anything for a minute counts as dead and the next may claim; should it
live after all, its next step raises TakenOver. So there is never more than one whose steps count.
"""

import secrets
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from feed.models import Archive

STALE_AFTER = timedelta(minutes=1)
RETENTION = timedelta(days=7)
MAX_ATTEMPTS = 5
"""In a row, without a step forward. What stops so often stops again."""

SAVE_INTERVAL_SECONDS = 1.0
BATCH_SIZE = 100

State = Archive.State
UNFINISHED_STATES = (State.WAITING, State.RUNNING)


class ClaimLost(RuntimeError):
    """The record is gone, or another worker's now: this one has to stop."""


def archive_path(*, name: str) -> str:
    """Where the storage keeps it."""
    return f"archives/{name}.zip"


def latest_archive(*, owner: int, kind: str) -> Archive | None:
    return Archive.objects.filter(owner=owner, kind=kind).order_by("-pk").first()


def claim_archive(*, archive_id: int) -> Archive | None:
    """The record, if there is work to do for whom asks. What a dead worker left behind is gone."""
    found = Archive.objects.filter(pk=archive_id, state__in=UNFINISHED_STATES).first()
    if found is None or not _is_free(found):
        return None
    before = found.run_token
    found.run_token, found.state, found.heartbeat_at = (
        secrets.token_hex(16),
        State.RUNNING,
        timezone.now(),
    )
    found.attempts += 1
    changed = {
        name: getattr(found, name) for name in ("run_token", "state", "heartbeat_at", "attempts")
    }
    if not Archive.objects.filter(
        pk=archive_id, state__in=UNFINISHED_STATES, run_token=before
    ).update(**changed):
        return None
    if before:
        default_storage.delete(archive_path(name=before))
    if found.attempts > MAX_ATTEMPTS:
        fail_archive(archive=found, error=_("It stopped again and again. We do not know why."))
        return None
    return found


def save_step(*, archive: Archive, **values: Any) -> None:
    """The work goes on, with these values of the record. Raises TakenOver."""
    values["heartbeat_at"] = timezone.now()
    for name, value in values.items():
        setattr(archive, name, value)
    mine = Archive.objects.filter(pk=archive.pk, state=State.RUNNING, run_token=archive.run_token)
    if not mine.update(**values):
        raise ClaimLost(str(archive))


def finish_archive(*, archive: Archive, file: str = "") -> None:
    """It is done, and this is its file now. Raises TakenOver."""
    upload = archive.file
    save_step(archive=archive, state=State.DONE, file=file)
    delete_file(upload)


def fail_archive(*, archive: Archive, error: str) -> None:
    """It is given up; the error is for its owner. Raises TakenOver."""
    upload = archive.file
    save_step(archive=archive, state=State.FAILED, error=error[:300], file="")
    delete_file(upload)


def stalled_archive_ids() -> list[int]:
    """Which are to be taken up by a worker: nobody works on them."""
    before = timezone.now() - STALE_AFTER
    found = Archive.objects.filter(state__in=UNFINISHED_STATES, heartbeat_at__lt=before)
    return list(found.order_by("heartbeat_at").values_list("pk", flat=True)[:BATCH_SIZE])


def delete_expired_batch() -> int:
    """Remove some of those that are older than a week, files first; returns how many."""
    return _remove(Archive.objects.filter(created_at__lt=timezone.now() - RETENTION)[:BATCH_SIZE])


def delete_archives(*, owner: int) -> None:
    """Remove all archives of a person, with their files. Who works on one finds that out and stops."""
    while _remove(Archive.objects.filter(owner=owner)[:BATCH_SIZE]):
        """Some at a time."""


def _remove(archives: Any) -> int:
    found = list(archives)
    for archive in found:
        delete_file(archive.file)
        delete_file(archive.run)
        Archive.objects.filter(pk=archive.pk).delete()
    return len(found)


def delete_file(name: str) -> None:
    if name:
        default_storage.delete(archive_path(name=name))


def _is_free(archive: Archive) -> bool:
    is_stale = archive.heartbeat_at < timezone.now() - STALE_AFTER
    return archive.state == State.WAITING or is_stale


class Progress:
    """Counts what is done, and notes it about once a second: also the sign that the worker lives."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._done = archive.done_count
        self._noted_at = 0.0

    def start(self, *, total: int, counts: Mapping[str, int] | None = None) -> None:
        """All that is to be done is known now. Raises TakenOver."""
        self._done = 0
        save_step(archive=self._archive, done=0, total=total, counts=dict(counts or {}))

    def advance(self, by: int = 0) -> None:
        """Raises TakenOver."""
        self._done += by
        if time.monotonic() - self._noted_at >= SAVE_INTERVAL_SECONDS:
            self._noted_at = time.monotonic()
            save_step(archive=self._archive, done=self._done)

    def checkpoint(self, *, done: int, counts: Mapping[str, int]) -> None:
        """So much is done for good, and will not be done again. Raises TakenOver."""
        self._done = done
        save_step(archive=self._archive, done=done, counts=dict(counts), attempts=0)
