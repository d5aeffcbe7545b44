"""Draw the pictures of the demo and store them like uploads.

There are more posts with pictures than motifs, so several posts show the same motif. Each post has its own
files, because the site deletes or hides the files together with a post. The files of one motif are hard
links, so they take the space of one file.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from accounts.infra import pictures as encoder
from accounts.profile_pictures import AVATAR, HEADER, save_picture
from feed import picture_files
from feed.models import Picture
from feed.picture_files import SIZES, DecodedUpload, Size

from .personas import FIXED_PERSONAS, Persona
from .pictures import Motif, draw_header, draw_scene, portraits
from .planned_posts import PlannedPost

SKINS_BY_LANGUAGE = {code: tuple(portraits.SKINS[:3]) for code in ("ja", "ko", "zh")}
HAIR_BY_LANGUAGE = dict.fromkeys(("ja", "ko", "zh"), (*portraits.DARK_HAIR, "#8a8d94"))
TEAM = FIXED_PERSONAS[-1]
HEADER_COUNT = 20
"""Number of different header pictures. Several users have the same."""


@dataclass(frozen=True, slots=True)
class DrawnMotif:
    upload: DecodedUpload
    alt: str


class PicturePool:
    """The drawn motifs of a demo. ``draw`` comes first, then ``store_pictures``."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed
        self._drawn: dict[Motif, DrawnMotif] = {}
        self._stored_paths: dict[tuple[Motif, Size], str] = {}

    def draw(self, posts: Sequence[PlannedPost]) -> Iterator[int]:
        """Draw each motif of the posts. Yield 1 for each motif."""
        motifs = motifs_of(posts)
        # Pillow draws and encodes without Python's global lock, so threads use all processors.
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            drawn = threads.map(partial(_draw_motif, seed=self.seed), motifs)
            for motif, picture in zip(motifs, drawn, strict=True):
                self._drawn[motif] = picture
                yield 1

    def store_pictures(self, *, post: PlannedPost, owner: int) -> list[Picture]:
        """Store the files of a post. Return the records, which the caller inserts. Safe to repeat."""
        pictures = []
        for number, motif in enumerate(post.motifs):
            drawn = self._drawn[motif]
            name = hashlib.sha256(f"{self.seed}:{post.id}:{number}".encode()).hexdigest()[:32]
            for size in SIZES:
                self._store_file(motif, size, picture_files.storage_path(name=name, size=size))
            pictures.append(
                Picture(
                    pk=post.id + number,
                    owner=owner,
                    post=post.id,
                    name=name,
                    width=drawn.upload.width,
                    height=drawn.upload.height,
                    alt=drawn.alt,
                    created_at=post.published_at,
                )
            )
        return pictures

    def _store_file(self, motif: Motif, size: Size, path: str) -> None:
        default_storage.delete(path)  # of an interrupted attempt, perhaps incomplete
        stored_path = self._stored_paths.get((motif, size))
        if stored_path is not None:
            try:
                os.link(default_storage.path(stored_path), default_storage.path(path))
                return
            except (OSError, NotImplementedError):
                pass  # The storage has no hard links, so each file is stored in full.
        default_storage.save(path, ContentFile(self._drawn[motif].upload.files[size]))
        self._stored_paths[motif, size] = path


def motifs_of(posts: Sequence[PlannedPost]) -> list[Motif]:
    return list(dict.fromkeys(motif for post in posts for motif in post.motifs))


def save_avatars(*, uids_by_persona: dict[Persona, int], seed: int) -> dict[Persona, str]:
    """Draw and store the profile pictures of these users. Return the names of the pictures."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        drawn = threads.map(partial(_draw_avatar, seed=seed), uids_by_persona)
        return {
            persona: save_picture(kind=AVATAR, uid=uid, picture=picture)
            for (persona, uid), picture in zip(uids_by_persona.items(), drawn, strict=True)
        }


def save_headers(*, uids_by_persona: dict[Persona, int], seed: int) -> dict[Persona, str]:
    """Draw and store header pictures. Return their names, "" for users without a header picture."""
    return {
        persona: save_picture(
            kind=HEADER,
            uid=uid,
            picture=_draw_header(_header_number(persona), seed=seed),
        )
        if persona.has_header
        else ""
        for persona, uid in uids_by_persona.items()
    }


def _header_number(persona: Persona) -> int:
    return crc32(persona.username.encode()) % HEADER_COUNT


@lru_cache(maxsize=256)
def _draw_header(number: int, *, seed: int) -> bytes:
    return encoder.encode_webp(picture=draw_header(number=number, seed=seed))


def _draw_avatar(persona: Persona, *, seed: int) -> bytes:
    portrait_seed = f"{seed}:portrait:{persona.username}"
    if persona == TEAM:
        return encoder.encode_webp(picture=portraits.draw_team(seed=portrait_seed))
    looks = portraits.Looks(
        skins=SKINS_BY_LANGUAGE.get(persona.language, tuple(portraits.SKINS)),
        hair=HAIR_BY_LANGUAGE.get(persona.language, tuple(portraits.HAIR)),
        can_have_beard=persona.has_male_name,
    )
    return encoder.encode_webp(picture=portraits.draw_portrait(looks=looks, seed=portrait_seed))


# Cached, because tests seed many demos in one process.
@lru_cache(maxsize=256)
def _draw_motif(motif: Motif, *, seed: int) -> DrawnMotif:
    picture, alt = draw_scene(motif=motif, seed=seed)
    return DrawnMotif(picture_files.encode_sizes(picture=picture), alt)
