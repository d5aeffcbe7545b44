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

STALE = timedelta(minutes=1)
KEPT = timedelta(days=7)
ATTEMPTS = 5
"""In a row, without a step forward. What stops so often stops again."""

NOTED_EVERY_SECONDS = 1.0
AT_ONCE = 100

State = Archive.State
OPEN = (State.WAITING, State.RUNNING)


class TakenOver(RuntimeError):
    """The record is gone, or another worker's now: this one has to stop."""


def path(*, name: str) -> str:
    """Where the storage keeps it."""
    return f"archives/{name}.zip"


def newest(*, owner: int, kind: str) -> Archive | None:
    return Archive.objects.filter(owner=owner, kind=kind).order_by("-pk").first()


def claim(*, archive_id: int) -> Archive | None:
    """The record, if there is work to do for whom asks. What a dead worker left behind is gone."""
    found = Archive.objects.filter(pk=archive_id, state__in=OPEN).first()
    if found is None or not _is_free(found):
        return None
    before = found.run
    found.run, found.state, found.touched_at = secrets.token_hex(16), State.RUNNING, timezone.now()
    found.attempts += 1
    changed = {name: getattr(found, name) for name in ("run", "state", "touched_at", "attempts")}
    if not Archive.objects.filter(pk=archive_id, state__in=OPEN, run=before).update(**changed):
        return None
    if before:
        default_storage.delete(path(name=before))
    if found.attempts > ATTEMPTS:
        fail(archive=found, error=_("It stopped again and again. We do not know why."))
        return None
    return found


def note(*, archive: Archive, **values: Any) -> None:
    """The work goes on, with these values of the record. Raises TakenOver."""
    values["touched_at"] = timezone.now()
    for name, value in values.items():
        setattr(archive, name, value)
    mine = Archive.objects.filter(pk=archive.pk, state=State.RUNNING, run=archive.run)
    if not mine.update(**values):
        raise TakenOver(str(archive))


def finish(*, archive: Archive, file: str = "") -> None:
    """It is done, and this is its file now. Raises TakenOver."""
    upload = archive.file
    note(archive=archive, state=State.DONE, file=file)
    _delete(upload)


def fail(*, archive: Archive, error: str) -> None:
    """It is given up; the error is for its owner. Raises TakenOver."""
    upload = archive.file
    note(archive=archive, state=State.FAILED, error=error[:300], file="")
    _delete(upload)


def stopped() -> list[int]:
    """Which are to be taken up by a worker: nobody works on them."""
    before = timezone.now() - STALE
    found = Archive.objects.filter(state__in=OPEN, touched_at__lt=before)
    return list(found.order_by("touched_at").values_list("pk", flat=True)[:AT_ONCE])


def remove_old() -> int:
    """Remove some of those that are older than a week, files first; returns how many."""
    return _remove(Archive.objects.filter(created_at__lt=timezone.now() - KEPT)[:AT_ONCE])


def forget(*, owner: int) -> None:
    """Remove all archives of a person, with their files. Who works on one finds that out and stops."""
    while _remove(Archive.objects.filter(owner=owner)[:AT_ONCE]):
        """Some at a time."""


def _remove(archives: Any) -> int:
    found = list(archives)
    for archive in found:
        _delete(archive.file)
        _delete(archive.run)
        Archive.objects.filter(pk=archive.pk).delete()
    return len(found)


def _delete(name: str) -> None:
    if name:
        default_storage.delete(path(name=name))


def _is_free(archive: Archive) -> bool:
    is_stale = archive.touched_at < timezone.now() - STALE
    return archive.state == State.WAITING or is_stale


class Progress:
    """Counts what is done, and notes it about once a second: also the sign that the worker lives."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._done = archive.done
        self._noted_at = 0.0

    def begin(self, *, total: int, counts: Mapping[str, int] | None = None) -> None:
        """All that is to be done is known now. Raises TakenOver."""
        self._done = 0
        note(archive=self._archive, done=0, total=total, counts=dict(counts or {}))

    def advance(self, by: int = 0) -> None:
        """Raises TakenOver."""
        self._done += by
        if time.monotonic() - self._noted_at >= NOTED_EVERY_SECONDS:
            self._noted_at = time.monotonic()
            note(archive=self._archive, done=self._done)

    def keep(self, *, done: int, counts: Mapping[str, int]) -> None:
        """So much is done for good, and will not be done again. Raises TakenOver."""
        self._done = done
        note(archive=self._archive, done=done, counts=dict(counts), attempts=0)
