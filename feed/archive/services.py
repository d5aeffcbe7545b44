"""Ask for an export, or for an import of what was sent; and get what was asked for."""

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
from feed.models import Archive, Post
from feed.services.posts import initial_hidden_state
from feed.tasks import enqueue

from . import jobs, tasks
from .source import open_source

EXPORT_INTERVAL = timedelta(days=1)
Kind, State = Archive.Kind, Archive.State


class CannotStart(ValueError):
    """It is refused; the message is for the person."""


def start_export(*, owner: User) -> Archive:
    """Have everything the person has packed by a worker; the record of it. Raises CannotStart where
    one is under way, and for a second one on the same day."""
    last = jobs.latest_archive(owner=owner.pk, kind=Kind.EXPORT)
    if last and last.state == State.DONE and last.created_at > timezone.now() - EXPORT_INTERVAL:
        raise CannotStart(_("You have had an archive made today. Tomorrow you can have another."))
    archive = _begin(owner=owner.pk, kind=Kind.EXPORT)
    enqueue(tasks.make_archive, archive_id=archive.pk)
    return archive


def start_import(*, owner: User, upload: IO[bytes]) -> Archive:
    """Keep what somebody has sent and have it brought in by a worker; the record of it.

    Raises BadArchive for what is none at first sight, CannotStart where an import is under way, and for
    those whose first posts moderators want to see. Raises TooMany for users who try very often: looking
    into a file costs time, whatever it is.
    """
    if initial_hidden_state(author=owner.pk, visibility=Post.Visibility.PUBLIC):
        raise CannotStart(
            _("Your first posts here wait for the moderators. Come back when they have seen them.")
        )
    last = jobs.latest_archive(owner=owner.pk, kind=Kind.IMPORT)
    if last and last.state in jobs.UNFINISHED_STATES:
        raise _under_way()
    rate_limits.count_action(action="import", subject=owner.pk)
    with open_source(file=upload):
        """It is an archive."""
    upload.seek(0)
    name = secrets.token_hex(16)
    default_storage.save(jobs.archive_path(name=name), File(upload))
    try:
        archive = _begin(owner=owner.pk, kind=Kind.IMPORT, file=name)
    except BaseException:
        default_storage.delete(jobs.archive_path(name=name))
        raise
    enqueue(tasks.bring_archive, archive_id=archive.pk)
    return archive


def open_export(*, archive_id: int, owner: int) -> Any:
    """The finished export, open for reading. Raises Http404 unless it is the owner's and still kept."""
    done = Archive.objects.filter(pk=archive_id, owner=owner, kind=Kind.EXPORT, state=State.DONE)
    name = done.values_list("file", flat=True).first()
    try:
        if name:
            return default_storage.open(jobs.archive_path(name=name))
    except FileNotFoundError:
        pass
    raise Http404("No such archive.")


def _begin(*, owner: int, kind: str, file: str = "") -> Archive:
    try:
        return Archive.objects.create(owner=owner, kind=kind, file=file)
    except IntegrityError:
        raise _under_way() from None


def _under_way() -> CannotStart:
    return CannotStart(_("This is under way already."))
