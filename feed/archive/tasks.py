"""What workers do about archives. Each may be done twice, and stop anywhere."""

import logging

from celery import shared_task

from accounts.models import User
from feed.models import Archive
from feed.tasks import enqueue

from . import exporter, importer, jobs
from .jobs import ClaimLost, Progress
from .source import BadArchive

logger = logging.getLogger(__name__)


@shared_task
def make_archive(*, archive_id: int) -> None:
    """Pack all that its owner has, from the beginning: half an archive is never kept."""
    archive = jobs.claim_archive(archive_id=archive_id)
    if archive is None:
        return
    try:
        exporter.export_to_storage(archive=archive, progress=Progress(archive))
    except ClaimLost:
        logger.info("Somebody else goes on with archive %s", archive_id)


@shared_task
def bring_archive(*, archive_id: int) -> None:
    """Check an archive that was sent, then bring in what is in it, from where that stopped."""
    archive = jobs.claim_archive(archive_id=archive_id)
    if archive is None:
        return
    try:
        owner = User.objects.get(pk=archive.owner)
        try:
            importer.import_stored_archive(archive=archive, owner=owner, progress=Progress(archive))
        except BadArchive as error:
            jobs.fail_archive(archive=archive, error=str(error))
    except ClaimLost:
        logger.info("Somebody else goes on with archive %s", archive_id)


@shared_task
def look_after_archives() -> None:
    """Go on with what stopped."""
    for archive in Archive.objects.filter(pk__in=jobs.stalled_archive_ids()):
        is_export = archive.kind == Archive.Kind.EXPORT
        enqueue(make_archive if is_export else bring_archive, archive_id=archive.pk)


@shared_task
def remove_old_archives() -> None:
    while jobs.delete_expired_batch():
        """Some at a time."""
