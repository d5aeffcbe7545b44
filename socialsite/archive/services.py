"""Starts exports and imports, and opens finished exports for download."""

import secrets
from datetime import timedelta
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.models import User
from feed.models import Post
from feed.services.posts import initial_hidden_state

from . import jobs
from .models import Archive
from .source import open_source

EXPORT_INTERVAL = timedelta(days=1)
Kind, State = Archive.Kind, Archive.State


class CannotStart(ValueError):
    """The export or import cannot start. The message is shown to the user."""


def start_export(*, owner: User) -> Archive:
    """Create an export of the owner's data. The caller enqueues its task.

    Raises CannotStart while another export is running, and for a second export within a day.
    """
    last = jobs.latest_archive(owner=owner.pk, kind=Kind.EXPORT)
    if last and last.state == State.DONE and last.created_at > timezone.now() - EXPORT_INTERVAL:
        raise CannotStart(_("You can create one archive per day. Try again tomorrow."))
    return _create_archive(owner=owner.pk, kind=Kind.EXPORT)


def start_import(*, owner: User, upload: IO[bytes]) -> Archive:
    """Store the upload and create its import. The caller enqueues its task.

    Raises BadArchive if the file is not a readable archive. Raises CannotStart while another import is
    running or while the owner's first posts need a review. Raises RateLimited after too many uploads,
    because even opening an unusable file costs time.
    """
    if initial_hidden_state(author=owner.pk, visibility=Post.Visibility.PUBLIC):
        raise CannotStart(
            _("Your first posts must be approved by a moderator before you can import an archive.")
        )
    last = jobs.latest_archive(owner=owner.pk, kind=Kind.IMPORT)
    if last and last.state in jobs.UNFINISHED_STATES:
        raise _already_running_error()
    rate_limits.count_action(action="import", subject=owner.pk)
    with open_source(file=upload):
        pass  # raises BadArchive
    upload.seek(0)
    name = secrets.token_hex(16)
    default_storage.save(jobs.archive_path(name=name), File(upload))
    try:
        return _create_archive(owner=owner.pk, kind=Kind.IMPORT, file=name)
    except BaseException:
        default_storage.delete(jobs.archive_path(name=name))
        raise


def open_export(*, archive_id: int, owner: int) -> Any:
    """Open a finished export for reading. Raises Http404 if the owner has no such file."""
    exports = Archive.objects.filter(pk=archive_id, owner=owner, kind=Kind.EXPORT, state=State.DONE)
    name = exports.values_list("file", flat=True).first()
    try:
        if name:
            return default_storage.open(jobs.archive_path(name=name))
    except FileNotFoundError:
        pass
    raise Http404("No such archive.")


def _create_archive(*, owner: int, kind: str, file: str = "") -> Archive:
    try:
        return Archive.objects.create(owner=owner, kind=kind, file=file)
    except IntegrityError:
        raise _already_running_error() from None


def _already_running_error() -> CannotStart:
    return CannotStart(_("An archive is already being processed. Wait until it is finished."))
