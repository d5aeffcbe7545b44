"""The video and the audio file of the demo: files in ``pictures/``, converted with ffmpeg like uploads.

Without ffmpeg, a demo has no posts with clips.
"""

import hashlib
import logging
import shutil

from django.conf import settings

from feed import clip_files
from feed.ffmpeg import BadClip
from feed.models import Picture

from .motifs import FOLDER
from .planned_posts import PlannedPost

logger = logging.getLogger(__name__)

SOURCES = {
    "video": (
        "mov",
        "video.mp4",
        "The camera moves from left to right. Snow-capped mountains, mirrored in a still lake, under a "
        "pink and blue morning sky with the sun in the middle.",
    ),
    "audio": ("ogg", "audio.ogg", "Eight notes on a plucked string, up and down again."),
}
"""ffmpeg's name of the format, the file and its description."""


def can_make_clips() -> bool:
    """Return whether ffmpeg is installed and the site accepts clips."""
    return settings.CLIPS_ENABLED and all(map(shutil.which, ("ffmpeg", "ffprobe")))


def store_clip(*, post: PlannedPost, owner: int, seed: int) -> list[Picture]:
    """Convert and store the clip of a post. Return its record. Safe to repeat.

    If ffmpeg cannot convert the clip, for example because it lacks an encoder, return an empty list.
    """
    name = hashlib.sha256(f"{seed}:{post.id}:clip".encode()).hexdigest()[:32]
    Picture.objects.filter(name=name).delete()  # of an interrupted attempt
    source_format, file, alt = SOURCES[post.clip]
    try:
        with (FOLDER / file).open("rb") as source:
            clip = clip_files.store_converted(
                owner=owner, name=name, source=source, source_format=source_format
            )
    except BadClip:
        logger.warning("ffmpeg could not convert the %s of the demo", post.clip)
        return []
    clip.post, clip.alt, clip.created_at = post.id, alt, post.published_at
    clip.save(update_fields=["post", "alt", "created_at"])
    return [clip]
