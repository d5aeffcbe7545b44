"""Read a user's own pictures, and decide which picture URLs need a signature."""

from dataclasses import dataclass

from django.http import Http404

from accounts.user_cards import find_card
from feed import picture_files
from feed.ffmpeg import ERRORS
from feed.models import Picture, Post

from .pages import MediaView, has_public_pictures


@dataclass(frozen=True, slots=True)
class FileAccess:
    """``signature_scope``: the scope of the signature that a URL needs, None if it needs none."""

    kind: str
    signature_scope: int | None


def file_access(*, name: str) -> FileAccess:
    """Return who may load the files of a picture or clip.

    Costs two database commands, one for the picture of a link card. Raises Http404 if the picture is
    deleted, or if its owner is suspended or deleted.
    """
    picture = Picture.objects.filter(name=name).exclude(post=Picture.DELETED_POST).first()
    if picture is not None and picture.post == Picture.LINK_CARD:
        return FileAccess(picture.kind, None)
    author = find_card(uid=picture.owner) if picture else None
    if picture is None or author is None:
        raise Http404("No such picture.")
    if picture.post is None:
        return FileAccess(picture.kind, picture_files.UNPUBLISHED)
    post = Post.objects.filter(pk=picture.post).values("visibility", "hidden").first()
    if post is None:
        raise Http404("No such post.")
    is_open = has_public_pictures(post["visibility"], post["hidden"], author)
    return FileAccess(picture.kind, None if is_open else picture.post)


def own_picture(*, owner: int, picture_id: int) -> Picture:
    """Return a picture of ``owner``. Raises Http404 if it is missing or belongs to another user."""
    picture = Picture.objects.filter(pk=picture_id, owner=owner).first()
    if picture is None or picture.post == Picture.DELETED_POST:
        raise Http404("No such picture.")
    return picture


def picture_view(*, picture: Picture) -> MediaView:
    return MediaView(
        id=picture.pk,
        name=picture.name,
        alt=picture.alt,
        width=picture.width,
        height=picture.height,
        focus=picture.focus or (),
        is_animated=picture.is_animated,
        signature_scope=picture.post or picture_files.UNPUBLISHED,
        kind=picture.kind,
        **(picture.playback or {}),
        state=picture.state,
        error=str(ERRORS.get(picture.error, "")),
    )
