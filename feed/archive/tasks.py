"""What workers do about archives. Each may be done twice, and stop anywhere."""

import logging

from celery import shared_task

from accounts.models import User
from feed.models import Archive
from feed.tasks import enqueue

from . import bringing, packing, records
from .bad import BadArchive
from .records import Progress, TakenOver

logger = logging.getLogger(__name__)


@shared_task
def make_archive(*, archive_id: int) -> None:
    """Pack all that its owner has, from the beginning: half an archive is never kept."""
    archive = records.claim(archive_id=archive_id)
    if archive is None:
        return
    try:
        packing.pack_and_keep(archive=archive, progress=Progress(archive))
    except TakenOver:
        logger.info("Somebody else goes on with archive %s", archive_id)


@shared_task
def bring_archive(*, archive_id: int) -> None:
    """Check an archive that was sent, then bring in what is in it, from where that stopped."""
    archive = records.claim(archive_id=archive_id)
    if archive is None:
        return
    try:
        owner = User.objects.get(pk=archive.owner)
        try:
            bringing.bring_kept(archive=archive, owner=owner, progress=Progress(archive))
        except BadArchive as error:
            records.fail(archive=archive, error=str(error))
    except TakenOver:
        logger.info("Somebody else goes on with archive %s", archive_id)


@shared_task
def look_after_archives() -> None:
    """Go on with what stopped."""
    for archive in Archive.objects.filter(pk__in=records.stopped()):
        is_export = archive.kind == Archive.Kind.EXPORT
        enqueue(make_archive if is_export else bring_archive, archive_id=archive.pk)


@shared_task
def remove_old_archives() -> None:
    while records.remove_old():
        """Some at a time."""
