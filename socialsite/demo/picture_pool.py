"""Encode the pictures of the demo and store them like uploads.

There are more posts with pictures than motifs, so several posts show the same motif. Each post has its own
files, because the site deletes or hides the files together with a post. The files of one motif are hard
links, so they take the space of one file.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from io import BytesIO
from zlib import crc32

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from accounts.profile_pictures import AVATAR, HEADER, save_picture
from feed import picture_files
from feed.models import Picture
from feed.picture_files import SIZES, DecodedUpload, Size

from .motifs import DESCRIPTIONS, HEADER_COUNT, read_picture
from .personas import FIXED_PERSONAS, Persona
from .planned_posts import PlannedPost


class PicturePool:
    """The encoded motifs of a demo. ``encode`` comes first, then ``store_pictures``."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed
        self._uploads: dict[str, DecodedUpload] = {}
        self._stored_paths: dict[tuple[str, Size], str] = {}

    def encode(self, posts: Sequence[PlannedPost]) -> Iterator[int]:
        """Encode each motif of the posts. Yield 1 for each motif."""
        motifs = motifs_of(posts)
        # Pillow encodes without Python's global lock, so threads use all processors.
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for motif, upload in zip(motifs, threads.map(encode_motif, motifs), strict=True):
                self._uploads[motif] = upload
                yield 1

    def store_pictures(self, *, post: PlannedPost, owner: int) -> list[Picture]:
        """Store the files of a post. Return the records, which the caller inserts. Safe to repeat."""
        pictures = []
        for number, motif in enumerate(post.motifs):
            upload = self._uploads[motif]
            name = hashlib.sha256(f"{self.seed}:{post.id}:{number}".encode()).hexdigest()[:32]
            for size in SIZES:
                self._store_file(motif, size, picture_files.storage_path(name=name, size=size))
            pictures.append(
                Picture(
                    pk=post.id + number,
                    owner=owner,
                    post=post.id,
                    name=name,
                    width=upload.width,
                    height=upload.height,
                    alt=DESCRIPTIONS[motif],
                    created_at=post.published_at,
                )
            )
        return pictures

    def _store_file(self, motif: str, size: Size, path: str) -> None:
        default_storage.delete(path)  # of an interrupted attempt, perhaps incomplete
        stored_path = self._stored_paths.get((motif, size))
        if stored_path is not None:
            try:
                os.link(default_storage.path(stored_path), default_storage.path(path))
                return
            except (OSError, NotImplementedError):
                pass  # The storage has no hard links, so each file is stored in full.
        default_storage.save(path, ContentFile(self._uploads[motif].files[size]))
        self._stored_paths[motif, size] = path


def motifs_of(posts: Sequence[PlannedPost]) -> list[str]:
    return list(dict.fromkeys(motif for post in posts for motif in post.motifs))


def save_avatar(*, persona: Persona, uid: int) -> str:
    """Store the portrait of a fixed user. Return the name of the picture, "" for other users."""
    if persona not in FIXED_PERSONAS:
        return ""
    picture = read_picture(name=f"portrait-{persona.username}")
    return save_picture(kind=AVATAR, uid=uid, picture=picture)


def save_header(*, persona: Persona, uid: int) -> str:
    """Store a header picture. Return its name, "" for users without a header picture."""
    if not persona.has_header:
        return ""
    picture = read_picture(name=f"header-{crc32(persona.username.encode()) % HEADER_COUNT}")
    return save_picture(kind=HEADER, uid=uid, picture=picture)


# Cached, because tests seed many demos in one process.
@lru_cache(maxsize=256)
def encode_motif(motif: str) -> DecodedUpload:
    """Return the files of a motif in every size that posts need."""
    return picture_files.encode_sizes(picture=Image.open(BytesIO(read_picture(name=motif))))
