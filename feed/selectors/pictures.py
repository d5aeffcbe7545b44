"""Somebody's own pictures, as they are uploaded."""

from django.http import Http404

from feed.models import Picture

from .pages import MediaView


def own_picture(*, owner: int, picture_id: int) -> Picture:
    """Raises Http404 for those of others and what is gone, alike."""
    found = Picture.objects.filter(pk=picture_id, owner=owner).first()
    if found is None or found.post == Picture.GONE:
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
    )
