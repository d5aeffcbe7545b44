"""Keep pictures that are still to be published, and give them to their post."""

from django.utils.translation import gettext as _

from accounts import limits
from accounts.refusals import Refused
from feed import pictures
from feed.models import MAX_PICTURES, Picture, Post
from feed.pictures import Made


class CannotAttach(Refused):
    """A picture cannot be published with this post; the message is for the person."""


def keep_pictures(*, owner: int, described: list[Picture], made: list[Made]) -> list[Picture]:
    """Keep what somebody has uploaded and said of it, whether or not it is published now.

    ``described``: their pictures with what they say of them now; ``made``: new ones. Returns all, in order.
    Raises TooMany, and then keeps none of the new ones, for who uploads very many in a short time.
    """
    for picture in described:
        waiting = Picture.objects.filter(pk=picture.pk, owner=owner, post=None)
        waiting.exclude(alt=picture.alt).update(alt=picture.alt)
    with limits.counted(action="upload", who=owner, times=len(made)):
        return [*described, *(pictures.keep(owner=owner, made=one) for one in made)]


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
    post.media = [
        {name: getattr(found[pk], name) for name in ("id", "name", "alt", "width", "height")}
        for pk in wanted
    ]
