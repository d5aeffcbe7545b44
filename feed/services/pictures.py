"""Save uploaded pictures, attach them to posts and change their descriptions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.pictures import BadPicture
from accounts.infra.refusals import Refused
from feed import picture_files
from feed.activities import Details
from feed.models import MAX_PICTURES, Picture, Post
from feed.picture_files import DecodedUpload

Focus = tuple[float, float] | None
Descriptions = Mapping[int, tuple[str | None, Focus]]
"""Description and focus by picture id; None leaves a value unchanged."""


class CannotAttach(Refused):
    """A picture cannot be attached to the post. The message is shown to the author."""


def receive_uploads(
    *, owner: int, uploads: Sequence[IO[bytes]]
) -> Iterator[DecodedUpload | BadPicture]:
    """Count the uploads against the rate limit, then decode them one by one.

    Raises TooMany before decoding, and TryLater while the decoder is busy. Uploads that are not pictures
    count too, because detecting them costs as much.
    """
    rate_limits.count_action(action="upload", subject=owner, times=len(uploads))
    for upload in uploads:
        try:
            yield picture_files.decode_upload(upload=upload)
        except BadPicture as error:
            yield error


def save_pictures(
    *, owner: int, described: list[Picture], uploads: list[DecodedUpload]
) -> list[Picture]:
    """Save pictures before they are published and return all of them in order.

    ``described``: saved pictures with new descriptions. ``uploads``: new ones from ``receive_uploads``.
    """
    for picture in described:
        waiting = Picture.objects.filter(pk=picture.pk, owner=owner, post=None)
        waiting.exclude(alt=picture.alt).update(alt=picture.alt)
    return [
        *described,
        *(picture_files.store_upload(owner=owner, upload=upload) for upload in uploads),
    ]


def attach_pictures(*, post: Post, picture_ids: list[int]) -> None:
    """Attach the author's pictures to a post in this order before it is inserted.

    Call this inside the transaction of the insert, so that a picture belongs to one post only. Raises
    CannotAttach.
    """
    wanted_ids = list(dict.fromkeys(picture_ids))
    if len(wanted_ids) > MAX_PICTURES:
        raise CannotAttach(_("A post can have up to %(count)d pictures.") % {"count": MAX_PICTURES})
    waiting = Picture.objects.filter(pk__in=wanted_ids, owner=post.author_id, post=None)
    pictures = {picture.pk: picture for picture in waiting}
    if len(pictures) < len(wanted_ids) or waiting.update(post=post.pk) < len(wanted_ids):
        raise CannotAttach(_("One of these pictures no longer exists. Add it again."))
    post.media = [media_entry(pictures[pk]) for pk in wanted_ids]


def media_entry(picture: Picture) -> Details:
    """Return a picture in the form of ``Post.media``."""
    shown = {name: getattr(picture, name) for name in ("id", "name", "alt", "width", "height")}
    return {**shown, "focus": picture.focus} if picture.focus else shown


def update_descriptions(*, post: Post, descriptions: Descriptions) -> bool:
    """Change descriptions of a post's pictures in ``post.media`` without saving the post.

    Return whether anything changed. Call this inside the transaction that saves the post.
    """
    if not descriptions:
        return False
    pictures = Picture.objects.filter(post=post.pk, pk__in=list(descriptions))
    changed = {}
    for picture in pictures:
        if _describe(picture, *descriptions[picture.pk]):
            changed[picture.pk] = media_entry(picture)
    post.media = [changed.get(entry["id"], entry) for entry in post.media]
    return bool(changed)


def receive_upload(*, owner: int, upload: IO[bytes]) -> DecodedUpload:
    """Count and decode one upload. Raises like ``receive_uploads``, and BadPicture."""
    (result,) = receive_uploads(owner=owner, uploads=[upload])
    if isinstance(result, BadPicture):
        raise result
    return result


def save_picture(
    *, owner: int, decoded: DecodedUpload, alt: str = "", focus: Focus = None
) -> Picture:
    """Save one upload from ``receive_upload``."""
    (picture,) = save_pictures(owner=owner, described=[], uploads=[decoded])
    _describe(picture, alt, focus)
    return picture


def describe_picture(*, picture: Picture, alt: str | None, focus: Focus) -> None:
    """Change the description of an unpublished picture; None leaves a value unchanged."""
    _describe(picture, alt, focus)


def discard_picture(*, picture: Picture) -> None:
    """Discard an unpublished picture; cleanup deletes its files. Raises CannotAttach if it is in a post."""
    if picture.post is not None:
        raise CannotAttach(_("This picture is already part of a post."))
    Picture.objects.filter(pk=picture.pk, post=None).update(post=Picture.DELETED_POST)


def _describe(picture: Picture, alt: str | None, focus: Focus) -> bool:
    before = picture.alt, list(picture.focus or ())
    picture.alt = picture.alt if alt is None else alt
    picture.focus = list(picture.focus or ()) if focus is None else list(focus)
    if (picture.alt, picture.focus) == before:
        return False
    picture.save(update_fields=["alt", "focus"])
    return True
