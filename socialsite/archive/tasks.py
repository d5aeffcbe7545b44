"""Celery tasks for archives. Each task is safe to run twice and to interrupt."""

import logging

from celery import shared_task
from django.utils import translation

from accounts.models import User
from accounts.selectors.profiles import recipient_language
from feed.clip_files import ClaimLost
from feed.task_queue import enqueue

from . import exporter, importer, jobs
from .jobs import Progress
from .media import Paused
from .models import Archive
from .source import BadArchive

logger = logging.getLogger(__name__)


@shared_task
def export_archive(*, archive_id: int) -> None:
    """Export the owner's data. After an interruption, the export starts again from the beginning."""
    archive = jobs.claim_archive(archive_id=archive_id)
    if archive is None:
        return
    try:
        exporter.export_to_storage(archive=archive, progress=Progress(archive))
    except ClaimLost:
        logger.info("Archive %s was claimed by another worker", archive_id)


@shared_task
def import_archive(*, archive_id: int) -> None:
    """Check an uploaded archive, then import a slice of it from the last saved step.

    If the import fails, the reason is stored in the language of the owner.
    """
    archive = jobs.claim_archive(archive_id=archive_id)
    if archive is None:
        return
    try:
        owner = User.objects.get(pk=archive.owner)
        try:
            with translation.override(recipient_language(uid=archive.owner)):
                importer.import_stored_archive(
                    archive=archive, owner=owner, progress=Progress(archive)
                )
        except BadArchive as error:
            jobs.fail_archive(archive=archive, error=str(error))
        except Paused as pause:
            jobs.pause_archive(archive=archive, seconds=pause.seconds)
            if not pause.seconds:  # otherwise, ``resume_archives`` continues
                enqueue(import_archive, archive_id=archive.pk)
    except ClaimLost:
        logger.info("Archive %s was claimed by another worker", archive_id)


@shared_task
def resume_archives() -> None:
    archive_ids = jobs.stalled_archive_ids()
    jobs.postpone_waiting(archive_ids=archive_ids)
    for archive in Archive.objects.filter(pk__in=archive_ids):
        is_export = archive.kind == Archive.Kind.EXPORT
        enqueue(export_archive if is_export else import_archive, archive_id=archive.pk)


@shared_task
def delete_expired_archives() -> None:
    while jobs.delete_expired_batch():
        pass
