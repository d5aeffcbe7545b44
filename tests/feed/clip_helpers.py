"""Helpers for tests of the conversion of clips."""

from datetime import timedelta

from django.utils import timezone

from feed.models import Picture
from tests.clips import probe
from tests.feed.picture_uploads import FOLDER

UPLOADS = FOLDER.parent / "uploads"
PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"


def waiting_files():
    return sorted(file.name for file in UPLOADS.glob("*"))


def make_due(**fields):
    Picture.objects.update(due_at=timezone.now() - timedelta(seconds=1), **fields)


def streams(content):
    """Return the streams of a file by kind, as ffprobe describes them."""
    return {stream["codec_type"]: stream for stream in probe(content)["streams"]}
