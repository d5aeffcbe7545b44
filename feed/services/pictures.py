"""Save uploaded pictures and clips, attach them to posts, and change their descriptions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.pictures import BadPicture
from accounts.infra.refusals import Refused
from feed import clip_files, picture_files, signals
from feed.activities import Details
from feed.clip_files import ClipUpload
from feed.models import MAX_PICTURES, Picture, Post
from feed.picture_files import DecodedUpload
from feed.selectors.pictures import storage_of

Upload = DecodedUpload | ClipUpload

Focus = tuple[float, float] | None
Descriptions = Mapping[int, tuple[str | None, Focus]]
"""Description and focus by picture id. None leaves the description or focus unchanged."""


class CannotAttach(Refused):
    """A picture cannot be attached to the post. The message is shown to the author."""


class StorageFull(BadPicture):
    """The owner has no storage left for pictures and clips."""


def require_storage(*, owner: int) -> None:
    """Raise StorageFull if the user has no storage left. One command."""
    storage = storage_of(owner=owner)
    if storage is not None and not storage.left:
        raise StorageFull(
            _(
                "You have no storage left. Delete posts or drafts with pictures, video or audio first."
            )
        )


def receive_uploads(*, owner: int, uploads: Sequence[IO[bytes]]) -> Iterator[Upload | BadPicture]:
    """Count the uploads against the rate limit, then decode pictures and check clips one by one.

    Yield a BadPicture for each upload that is not a valid picture or clip, or if no storage is left. Such
    uploads count too, because detecting a bad picture costs as much as decoding a good one. Raises
    RateLimited before the first upload is decoded, and TryLater if the decoder stays busy.
    """
    rate_limits.count_action(action="upload", subject=owner, times=len(uploads))
    for upload in uploads:
        try:
            require_storage(owner=owner)
            yield _receive(owner, upload)
        except BadPicture as error:
            yield error


def _receive(owner: int, upload: IO[bytes]) -> Upload:
    if source_format := clip_files.clip_format(upload=upload):
        rate_limits.count_action(action="clip", subject=owner)
        return clip_files.check_upload(owner=owner, upload=upload, source_format=source_format)
    clip_files.refuse_unknown_clip(upload=upload)
    return picture_files.decode_upload(upload=upload)


def save_descriptions(*, owner: int, pictures: Sequence[Picture]) -> None:
    """Save the description and focus of those pictures that are not published."""
    for picture in pictures:
        if picture.post is None:
            waiting = Picture.objects.filter(pk=picture.pk, owner=owner, post=None)
            waiting.update(alt=picture.alt, focus=picture.focus)


def save_picture(*, owner: int, decoded: Upload, alt: str = "", focus: Focus = None) -> Picture:
    """Save an upload from ``receive_uploads``, unpublished. Workers convert new clips."""
    picture = _store(owner, decoded)
    describe_picture(picture=picture, alt=alt, focus=focus)
    return picture


def _store(owner: int, upload: Upload) -> Picture:
    if isinstance(upload, DecodedUpload):
        return picture_files.store_upload(owner=owner, upload=upload)
    clip = clip_files.store_upload(owner=owner, upload=upload)
    signals.clip_stored.send_robust(sender=None, clip=clip.pk)
    return clip


def attach_pictures(*, post: Post, picture_ids: Sequence[int]) -> None:
    """Attach the author's unpublished pictures, in the given order, to a post that is not yet inserted.

    Call this inside the transaction of the insert. Otherwise two posts could get the same picture. Raises
    CannotAttach if there are too many pictures or a picture is not available.
    """
    post.media = []  # a repeated transaction has set it before
    change_pictures(post=post, picture_ids=picture_ids, descriptions={})


def change_pictures(
    *, post: Post, picture_ids: Sequence[int] | None, descriptions: Descriptions
) -> None:
    """Add, remove, reorder and describe the pictures of a post.

    This saves the pictures and changes ``post.media``, but does not save the post. Call this inside the
    transaction that saves the post, so that both copies stay equal. Removed pictures are marked for
    deletion in the same transaction: cleanup never deletes a picture that the post still shows, and
    forgets none.

    Args:
        picture_ids: the new pictures in order: pictures of the post and unpublished pictures of its author.
            None changes nothing.

    Raises CannotAttach if there are too many pictures or a picture is not available.
    """
    entries = {entry["id"]: entry for entry in post.media}
    wanted_ids = list(entries if picture_ids is None else dict.fromkeys(picture_ids))
    if len(wanted_ids) > MAX_PICTURES:
        raise CannotAttach(_("A post can have up to %(count)d pictures.") % {"count": MAX_PICTURES})
    added_ids = [pk for pk in wanted_ids if pk not in entries]
    if added_ids:
        waiting = Picture.objects.filter(pk__in=added_ids, owner=post.author_id, post=None)
        for picture in waiting:
            _check_state(picture)
            entries[picture.pk] = media_entry(picture)
        published = waiting.update(post=post.pk, draft=None)
        if not entries.keys() >= {*added_ids} or published < len(added_ids):
            raise CannotAttach(_("One of these pictures no longer exists. Add it again."))
    refuse_mixed_media(kinds=[entries[pk].get("kind", Picture.Kind.IMAGE) for pk in wanted_ids])
    if removed_ids := entries.keys() - {*wanted_ids}:
        removed = Picture.objects.filter(pk__in=list(removed_ids), post=post.pk)
        removed.update(post=Picture.DELETED_POST)
    if described_ids := descriptions.keys() & {*wanted_ids}:
        for picture in Picture.objects.filter(pk__in=list(described_ids), post=post.pk):
            alt, focus = descriptions[picture.pk]
            if describe_picture(picture=picture, alt=alt, focus=focus):
                entries[picture.pk] = media_entry(picture)
    post.media = [entries[pk] for pk in wanted_ids]


def hold_pictures(*, owner: int, draft_id: int, picture_ids: Sequence[int]) -> None:
    """Keep unpublished pictures for a draft, and release those that the draft no longer uses.

    Cleanup does not delete pictures of a draft. Call this inside the transaction that writes the draft.
    Raises CannotAttach if there are too many pictures, if a clip is not the only file, or if a picture is
    not available or belongs to another draft.
    """
    wanted_ids = list(dict.fromkeys(picture_ids))
    if len(wanted_ids) > MAX_PICTURES:
        raise CannotAttach(_("A post can have up to %(count)d pictures.") % {"count": MAX_PICTURES})
    unpublished = Picture.objects.filter(owner=owner, post=None)
    if wanted_ids:
        available = unpublished.filter(pk__in=wanted_ids).filter(Q(draft=None) | Q(draft=draft_id))
        refuse_mixed_media(kinds=list(available.values_list("kind", flat=True)))
        if available.update(draft=draft_id) < len(wanted_ids):
            raise CannotAttach(_("One of these pictures no longer exists. Add it again."))
    released = unpublished.filter(draft=draft_id).exclude(pk__in=wanted_ids)
    released.update(draft=None, created_at=timezone.now())


def _check_state(picture: Picture) -> None:
    if picture.state == Picture.State.PROCESSING:
        raise CannotAttach(
            _("Your video or audio file has not finished processing. Try again in a moment.")
        )
    if picture.state == Picture.State.FAILED:
        raise CannotAttach(_("This file could not be processed. Remove it and publish again."))


def refuse_mixed_media(*, kinds: Sequence[str]) -> None:
    """Raise CannotAttach if there is more than one clip, or a clip and a picture."""
    if len(kinds) > 1 and any(kind != Picture.Kind.IMAGE for kind in kinds):
        raise CannotAttach(
            _("A post can have one video or audio file, or pictures. Remove the others.")
        )


def warning_for_media(*, content_warning: str, is_sensitive: bool, has_media: bool) -> str:
    """Return the content warning, "Sensitive" for sensitive media without one."""
    return content_warning or (_("Sensitive") if is_sensitive and has_media else "")


def media_entry(picture: Picture) -> Details:
    """Return a picture as an entry of ``Post.media``."""
    shown = {name: getattr(picture, name) for name in ("id", "name", "alt", "width", "height")}
    if picture.focus:
        shown["focus"] = picture.focus
    if picture.is_animated:
        shown["is_animated"] = True
    if picture.is_clip:
        shown |= {"kind": picture.kind, **(picture.playback or {})}
    return shown


def shown_pictures(post: Post) -> list[tuple[int, str]]:
    """Return the ids and descriptions of a post's pictures, which the history of the post shows."""
    return [(entry["id"], entry["alt"]) for entry in post.media]


def receive_upload(*, owner: int, upload: IO[bytes]) -> Upload:
    """Count one upload, and decode a picture or check a clip.

    Raises BadPicture, and the exceptions of ``receive_uploads``.
    """
    (result,) = receive_uploads(owner=owner, uploads=[upload])
    if isinstance(result, BadPicture):
        raise result
    return result


def describe_picture(*, picture: Picture, alt: str | None, focus: Focus) -> bool:
    """Change the description and focus of a picture. None leaves a value. Return whether they changed."""
    before = picture.alt, list(picture.focus or ())
    picture.alt = picture.alt if alt is None else alt
    picture.focus = list(picture.focus or ()) if focus is None else list(focus)
    if (picture.alt, picture.focus) == before:
        return False
    picture.save(update_fields=["alt", "focus"])
    return True


def discard_picture(*, picture: Picture) -> None:
    """Mark an unpublished picture for deletion. Cleanup deletes the files later.

    Raises CannotAttach if the picture is already part of a post, a draft or a scheduled post.
    """
    if picture.post is not None or picture.draft is not None:
        raise CannotAttach(_("This picture is already part of a post."))
    unused = Picture.objects.filter(pk=picture.pk, post=None, draft=None)
    unused.update(post=Picture.DELETED_POST)
