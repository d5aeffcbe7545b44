"""Pictures: a user's own, as they are uploaded, and who may see which."""

from django.http import Http404

from accounts.user_cards import find_card
from feed import picture_files
from feed.models import Picture, Post

from .pages import MediaView, has_public_pictures


def picture_signature_scope(*, name: str) -> int | None:
    """What an address of the picture has to be signed for (``pictures.url``), or None. Two commands.

    Raises Http404 for pictures that are gone, and for those of users who are suspended or gone.
    """
    picture = Picture.objects.filter(name=name).exclude(post=Picture.DELETED_POST).first()
    author = find_card(uid=picture.owner) if picture else None
    if picture is None or author is None:
        raise Http404("No such picture.")
    if picture.post is None:
        return picture_files.UNPUBLISHED
    post = Post.objects.filter(pk=picture.post).values("visibility", "hidden").first()
    if post is None:
        raise Http404("No such post.")
    is_open = has_public_pictures(post["visibility"], post["hidden"], author)
    return None if is_open else picture.post


def own_picture(*, owner: int, picture_id: int) -> Picture:
    """Raises Http404 for those of others and what is gone, alike."""
    found = Picture.objects.filter(pk=picture_id, owner=owner).first()
    if found is None or found.post == Picture.DELETED_POST:
        raise Http404("No such picture.")
    return found


def picture_view(*, picture: Picture) -> MediaView:
    return MediaView(
        id=picture.pk,
        name=picture.name,
        alt=picture.alt,
        width=picture.width,
        height=picture.height,
        focus=picture.focus or (),
        signature_scope=picture_files.UNPUBLISHED,
    )
