"""Keep pictures that are still to be published, and give them to their post."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from django.utils.translation import gettext as _

from accounts import limits
from accounts.pictures import BadPicture
from accounts.refusals import Refused
from feed import pictures
from feed.activities import Details
from feed.models import MAX_PICTURES, Picture, Post
from feed.pictures import Made

Focus = tuple[float, float] | None
Descriptions = Mapping[int, tuple[str | None, Focus]]
"""By the id of a picture: its description and its focus; None: leave that."""


class CannotAttach(Refused):
    """A picture cannot be published with this post; the message is for the person."""


def read_uploads(*, owner: int, uploads: Sequence[IO[bytes]]) -> Iterator[Made | BadPicture]:
    """Count the uploads, then decode one after the other.

    Raises TooMany before the first is decoded, and TryLater while the decoder is busy. An upload that is no
    picture counts: finding out costs as much.
    """
    limits.count(action="upload", who=owner, times=len(uploads))
    for upload in uploads:
        try:
            yield pictures.made(upload=upload)
        except BadPicture as error:
            yield error


def keep_pictures(*, owner: int, described: list[Picture], made: list[Made]) -> list[Picture]:
    """Keep what somebody has uploaded and said of it, whether or not it is published now.

    ``described``: their pictures with what they say of them now; ``made``: new ones, of ``read_uploads``.
    Returns all, in order.
    """
    for picture in described:
        waiting = Picture.objects.filter(pk=picture.pk, owner=owner, post=None)
        waiting.exclude(alt=picture.alt).update(alt=picture.alt)
    return [*described, *(pictures.keep(owner=owner, made=upload) for upload in made)]


def attach(*, post: Post, media: list[int]) -> None:
    """Give the post these pictures of its author's, in this order, before it is inserted.

    Only inside its transaction, so that a picture is of one post. Raises CannotAttach.
    """
    wanted = list(dict.fromkeys(media))
    if len(wanted) > MAX_PICTURES:
        raise CannotAttach(_("A post can have up to %(count)d pictures.") % {"count": MAX_PICTURES})
    waiting = Picture.objects.filter(pk__in=wanted, owner=post.author_id, post=None)
    found = {one.pk: one for one in waiting}
    if len(found) < len(wanted) or waiting.update(post=post.pk) < len(wanted):
        raise CannotAttach(_("One of these pictures is not there any more. Add it again."))
    post.media = [as_shown(found[pk]) for pk in wanted]


def as_shown(picture: Picture) -> Details:
    """As ``Post.media`` has it."""
    shown = {name: getattr(picture, name) for name in ("id", "name", "alt", "width", "height")}
    return {**shown, "focus": picture.focus} if picture.focus else shown


def described_anew(*, post: Post, described: Descriptions) -> bool:
    """Say something else of pictures of the post's; whether that changes anything. The post is not saved.

    Only inside its transaction.
    """
    if not described:
        return False
    there = Picture.objects.filter(post=post.pk, pk__in=list(described))
    changed = {}
    for picture in there:
        if _describe(picture, *described[picture.pk]):
            changed[picture.pk] = as_shown(picture)
    post.media = [changed.get(one["id"], one) for one in post.media]
    return bool(changed)


def read_upload(*, owner: int, upload: IO[bytes]) -> Made:
    """Count and decode one upload. Raises as ``read_uploads``, and BadPicture."""
    (result,) = read_uploads(owner=owner, uploads=[upload])
    if isinstance(result, BadPicture):
        raise result
    return result


def keep_picture(*, owner: int, made: Made, alt: str = "", focus: Focus = None) -> Picture:
    """Keep one upload (of ``read_upload``)."""
    (kept,) = keep_pictures(owner=owner, described=[], made=[made])
    _describe(kept, alt, focus)
    return kept


def describe_picture(*, picture: Picture, alt: str | None, focus: Focus) -> None:
    """Say something else of a picture that waits to be published; None: leave that."""
    _describe(picture, alt, focus)


def discard_picture(*, picture: Picture) -> None:
    """One that waits is not to be published; its files go later. Raises CannotAttach where it has been."""
    if picture.post is not None:
        raise CannotAttach(_("This picture is in a post."))
    Picture.objects.filter(pk=picture.pk, post=None).update(post=Picture.GONE)


def _describe(picture: Picture, alt: str | None, focus: Focus) -> bool:
    before = picture.alt, list(picture.focus or ())
    picture.alt = picture.alt if alt is None else alt
    picture.focus = list(picture.focus or ()) if focus is None else list(focus)
    if (picture.alt, picture.focus) == before:
        return False
    picture.save(update_fields=["alt", "focus"])
    return True
