"""The form to upload the pictures of a post, and to describe, order and remove them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.cursors import parse_id
from accounts.infra.pictures import ACCEPTED_TYPES, BadPicture
from accounts.infra.rate_limits import format_duration
from accounts.infra.refusals import TryLater
from accounts.models import User
from feed import clip_files
from feed.models import MAX_ALT_TEXT, MAX_PICTURES, Picture
from feed.selectors.pictures import MediaView, Storage, picture_view, storage_of
from feed.selectors.post_view import PostView
from feed.services.pictures import (
    CannotAttach,
    Descriptions,
    Upload,
    receive_uploads,
    refuse_mixed_media,
)

from .text import IdempotentForm

FOCUS_CHOICES = (
    ("0,0", _("Crop: center")),
    ("0,1", _("Crop: top")),
    ("0,-1", _("Crop: bottom")),
    ("-1,0", _("Crop: left")),
    ("1,0", _("Crop: right")),
    ("-1,1", _("Crop: top left")),
    ("1,1", _("Crop: top right")),
    ("-1,-1", _("Crop: bottom left")),
    ("1,-1", _("Crop: bottom right")),
)
"""The points that stay visible when a list crops a picture, as in ``Picture.focus``. Apps set any."""


DESCRIPTION_LABELS = {
    "image": _("Description for people who cannot see the picture"),
    "video": _("Description for people who cannot see or hear the video"),
    "audio": _("Description for people who cannot hear the audio"),
}


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A saved picture in the form, with its fields."""

    picture: MediaView
    description: forms.BoundField
    focus: forms.BoundField
    remove: forms.BoundField


class PicturesForm(IdempotentForm):
    """Up to four pictures or one clip of ``owner``, each with a description.

    If the form has errors, users need not upload their pictures again. The view stores the uploads
    (``views.composer``), passes the saved pictures to ``set_pictures`` and shows the form again. The form
    then sends the picture ids in the field ``media``, in order. Each saved picture has fields for its
    description, its focus and its position, and a field to remove the picture.

    If new pictures lack descriptions, ``needs_descriptions`` is true until the user confirms. Users can
    make descriptions mandatory, or switch the reminder off. The view shows the form again with a reminder,
    instead of publishing.

    If the rate limit is reached, the decoder is busy or the storage fails, ``try_later`` holds the
    exception, and the refused uploads are not saved.

    Args:
        owner: the user who writes. None for an empty form that is only shown.
        post: the post to edit. Its pictures stay unless the form removes them.
    """

    # This field only holds errors. ``clean`` reads the uploads from ``self.files``.
    pictures = forms.Field(label=_("Add pictures"), required=False)
    confirm_undescribed = forms.BooleanField(required=False)
    max_pictures = MAX_PICTURES

    def __init__(
        self, *args: Any, owner: User | None = None, post: PostView | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = False
        self._owner = owner
        self._shown_ids = [picture.id for picture in post.media] if post else []
        self.try_later: TryLater | None = None
        self.saved_pictures: list[Picture] = []
        # Pictures of the post that the form removes. The form sends these ids again.
        self.removed_ids: list[int] = []
        self.new_uploads: list[Upload] = []
        self.needs_descriptions = self.is_missing_picture = False
        self.requires_text = True
        media_ids: list[int | None] = self.initial.get("media", [])
        if self.is_bound:
            media_ids = [parse_id(value) for value in cast("Any", self.data).getlist("media")]
        ids = list(dict.fromkeys([*media_ids[: 2 * MAX_PICTURES], *self._shown_ids]))
        if ids and owner is not None:
            pictures = Picture.objects.filter(owner=owner.pk).in_bulk([pk for pk in ids if pk])
            self.is_missing_picture = len(pictures) < len(ids)
            self.set_pictures([pictures[pk] for pk in ids if pk in pictures])

    @property
    def accepts_clips(self) -> bool:
        return bool(settings.CLIPS_ENABLED)

    @property
    def accept(self) -> str:
        """Return the types of files to choose from."""
        types = [ACCEPTED_TYPES, clip_files.ACCEPTED_TYPES]
        return ",".join(types if self.accepts_clips else types[:1])

    @property
    def max_clip_mb(self) -> int:
        return int(settings.CLIP_MAX_MB)

    @property
    def max_clip_length(self) -> str:
        return format_duration(seconds=settings.CLIP_MAX_SECONDS)

    @cached_property
    def storage(self) -> Storage | None:
        """Return what the owner has left, None without an owner or a limit. Costs a command when shown."""
        return storage_of(owner=self.owner_uid) if self._owner else None

    @property
    def owner_uid(self) -> int:
        return self._owner.pk if self._owner else 0

    @property
    def requires_descriptions(self) -> bool:
        """True if the author chose to publish no picture without a description."""
        return self._reminder == User.DescriptionReminder.REQUIRE

    @property
    def _reminder(self) -> str:
        return self._owner.description_reminder if self._owner else ""

    def set_pictures(self, pictures: list[Picture]) -> None:
        """Set the saved pictures, and add the fields of each picture."""
        self.saved_pictures = pictures
        for picture in pictures:
            self.fields.setdefault(
                f"alt_{picture.pk}",
                PlainTextField(
                    label=DESCRIPTION_LABELS.get(picture.kind, DESCRIPTION_LABELS["image"]),
                    max_length=MAX_ALT_TEXT,
                    required=False,
                    initial=picture.alt,
                    widget=forms.Textarea({"rows": 2}),
                ),
            )
            self.fields.setdefault(f"focus_{picture.pk}", _focus_field(picture))
            self.fields.setdefault(
                f"drop_{picture.pk}",
                forms.BooleanField(label=_("Remove"), required=False),
            )

    def picture_rows(self) -> Iterator[PictureRow]:
        for picture in self.saved_pictures:
            fields = (self[f"{name}_{picture.pk}"] for name in ("alt", "focus", "drop"))
            yield PictureRow(picture_view(picture=picture), *fields)

    def descriptions(self) -> Descriptions:
        """Return the descriptions and focus of the saved pictures, for ``services.posts.edit_post``."""
        return {
            picture.pk: (picture.alt, tuple(picture.focus) or None)
            for picture in self.saved_pictures
        }

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        self._remove_and_order(cleaned)
        if self.is_missing_picture:
            self.add_error("pictures", _("One of these pictures no longer exists. Add it again."))
        self._decode_uploads(cast("Any", self.files).getlist("pictures"))
        is_described = not self.new_uploads and all(
            picture.alt or picture.pk in self._shown_ids or f"alt_{picture.pk}" in self.errors
            for picture in self.saved_pictures
        )
        self.needs_descriptions = (
            not is_described
            and self._reminder != User.DescriptionReminder.OFF
            and (self.requires_descriptions or not cleaned.get("confirm_undescribed"))
        )
        self._check_clips()
        has_pictures = self.saved_pictures or self.new_uploads or "pictures" in self.errors
        has_text = cleaned.get("text") or "text" in self.errors
        if self.requires_text and not (has_text or has_pictures):
            self.add_error("text", self.fields["text"].error_messages["required"])
        # ``IdempotentForm.clean`` hashes ``cleaned``. The digests of the pictures belong to the hash,
        # because the same text with other pictures is another post.
        cleaned["pictures"] = [upload.digest for upload in self.new_uploads]
        return super().clean()

    def _check_clips(self) -> None:
        """Add an error if there is more than one clip, or a clip and a picture."""
        kinds = [picture.kind for picture in self.saved_pictures]
        kinds += (
            Picture.Kind.VIDEO if isinstance(upload, clip_files.ClipUpload) else Picture.Kind.IMAGE
            for upload in self.new_uploads
        )
        try:
            refuse_mixed_media(kinds=kinds)
        except CannotAttach as error:
            self.add_error("pictures", str(error))

    def _remove_and_order(self, cleaned: dict[str, Any]) -> None:
        """Remove dropped pictures, move those with a new position, and set descriptions and focus."""
        ordered, moved = [], []
        for picture in self.saved_pictures:
            if cleaned.get(f"drop_{picture.pk}"):
                self.errors.pop(f"alt_{picture.pk}", None)
                if picture.pk in self._shown_ids:
                    self.removed_ids.append(picture.pk)
                continue
            if f"alt_{picture.pk}" in self.data:
                picture.alt = cleaned.get(f"alt_{picture.pk}", picture.alt)
            if f"focus_{picture.pk}" in self.changed_data and cleaned.get(f"focus_{picture.pk}"):
                picture.focus = [float(part) for part in cleaned[f"focus_{picture.pk}"].split(",")]
            # The form sends a position only for a picture that moves.
            position = parse_id(cast("Any", self.data).get(f"position_{picture.pk}", ""))
            if position:
                moved.append((position, picture))
            else:
                ordered.append(picture)
        for position, picture in sorted(moved, key=lambda move: move[0]):
            ordered.insert(position - 1, picture)
        self.saved_pictures = ordered

    def add_try_later(self, refusal: TryLater) -> None:
        """Show why uploads were not stored."""
        self.try_later = refusal
        self.add_error("pictures", str(refusal))

    def _decode_uploads(self, uploads: list[Any]) -> None:
        count = len(self.saved_pictures) + len(uploads)
        if count > MAX_PICTURES:
            self.add_error(
                "pictures",
                _(
                    "A post can have up to %(limit)d pictures. You added %(count)d. "
                    "Remove some of them."
                )
                % {"limit": MAX_PICTURES, "count": count},
            )
            return
        results = receive_uploads(owner=self.owner_uid, uploads=uploads)
        try:
            for upload, result in zip(uploads, results, strict=True):
                if isinstance(result, BadPicture):
                    name = SingleLineField().to_python(upload.name)[:60]
                    self.add_error("pictures", f"“{name}”: {result}")
                else:
                    self.new_uploads.append(result)
        except TryLater as refusal:
            self.add_try_later(refusal)


def _focus_field(picture: Picture) -> forms.ChoiceField:
    x, y = picture.focus or (0, 0)
    current = f"{x:g},{y:g}"
    choices = list(FOCUS_CHOICES)
    if current not in dict(choices):
        choices.insert(0, (current, _("Crop: as chosen in an app")))
    return forms.ChoiceField(
        label=_("What stays visible when lists crop the picture"),
        choices=choices,
        initial=current,
        required=False,
    )
