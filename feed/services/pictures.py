"""Keep pictures that are still to be published, and give them to their post."""

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
"""By the id of a picture: its description and its focus; None: leave that."""


class CannotAttach(Refused):
    """A picture cannot be published with this post; the message is for the person."""


def receive_uploads(
    *, owner: int, uploads: Sequence[IO[bytes]]
) -> Iterator[DecodedUpload | BadPicture]:
    """Count the uploads, then decode one after the other.

    Raises TooMany before the first is decoded, and TryLater while the decoder is busy. An upload that is no
    picture counts: finding out costs as much.
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
    """Keep what somebody has uploaded and said of it, whether or not it is published now.

    ``described``: their pictures with what they say of them now; ``made``: new ones, of ``read_uploads``.
    Returns all, in order.
    """
    for picture in described:
        waiting = Picture.objects.filter(pk=picture.pk, owner=owner, post=None)
        waiting.exclude(alt=picture.alt).update(alt=picture.alt)
    return [
        *described,
        *(picture_files.store_upload(owner=owner, upload=upload) for upload in uploads),
    ]


def attach_pictures(*, post: Post, picture_ids: list[int]) -> None:
    """Give the post these pictures of its author's, in this order, before it is inserted.

    Only inside its transaction, so that a picture is of one post. Raises CannotAttach.
    """
    wanted = list(dict.fromkeys(picture_ids))
    if len(wanted) > MAX_PICTURES:
        raise CannotAttach(_("A post can have up to %(count)d pictures.") % {"count": MAX_PICTURES})
    waiting = Picture.objects.filter(pk__in=wanted, owner=post.author_id, post=None)
    found = {one.pk: one for one in waiting}
    if len(found) < len(wanted) or waiting.update(post=post.pk) < len(wanted):
        raise CannotAttach(_("One of these pictures is not there any more. Add it again."))
    post.media = [media_entry(found[pk]) for pk in wanted]


def media_entry(picture: Picture) -> Details:
    """As ``Post.media`` has it."""
    shown = {name: getattr(picture, name) for name in ("id", "name", "alt", "width", "height")}
    return {**shown, "focus": picture.focus} if picture.focus else shown


def update_descriptions(*, post: Post, descriptions: Descriptions) -> bool:
    """Say something else of pictures of the post's; whether that changes anything. The post is not saved.

    Only inside its transaction.
    """
    if not descriptions:
        return False
    there = Picture.objects.filter(post=post.pk, pk__in=list(descriptions))
    changed = {}
    for picture in there:
        if _describe(picture, *descriptions[picture.pk]):
            changed[picture.pk] = media_entry(picture)
    post.media = [changed.get(one["id"], one) for one in post.media]
    return bool(changed)


def receive_upload(*, owner: int, upload: IO[bytes]) -> DecodedUpload:
    """Count and decode one upload. Raises as ``read_uploads``, and BadPicture."""
    (result,) = receive_uploads(owner=owner, uploads=[upload])
    if isinstance(result, BadPicture):
        raise result
    return result


def save_picture(*, owner: int, made: DecodedUpload, alt: str = "", focus: Focus = None) -> Picture:
    """Keep one upload (of ``read_upload``)."""
    (kept,) = save_pictures(owner=owner, described=[], uploads=[made])
    _describe(kept, alt, focus)
    return kept


def describe_picture(*, picture: Picture, alt: str | None, focus: Focus) -> None:
    """Say something else of a picture that waits to be published; None: leave that."""
    _describe(picture, alt, focus)


def discard_picture(*, picture: Picture) -> None:
    """One that waits is not to be published; its files go later. Raises CannotAttach where it has been."""
    if picture.post is not None:
        raise CannotAttach(_("This picture is in a post."))
    Picture.objects.filter(pk=picture.pk, post=None).update(post=Picture.DELETED_POST)


def _describe(picture: Picture, alt: str | None, focus: Focus) -> bool:
    before = picture.alt, list(picture.focus or ())
    picture.alt = picture.alt if alt is None else alt
    picture.focus = list(picture.focus or ()) if focus is None else list(focus)
    if (picture.alt, picture.focus) == before:
        return False
    picture.save(update_fields=["alt", "focus"])
    return True
