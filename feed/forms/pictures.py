"""The form to upload the pictures of a post and to describe each picture."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.cursors import parse_id
from accounts.infra.pictures import ACCEPTED_TYPES, BadPicture
from accounts.infra.refusals import TryLater
from feed import picture_files
from feed.models import MAX_ALT_TEXT, MAX_PICTURES, Picture
from feed.selectors.pages import MediaView
from feed.selectors.pictures import picture_view
from feed.services.pictures import receive_uploads

from .text import IdempotentForm


class PicturesForm(IdempotentForm):
    """Up to four pictures of ``owner``, each with a description.

    If the form has errors, users need not upload their pictures again. The view saves ``new_uploads``,
    passes the saved pictures to ``set_pictures`` and shows the form again. The form then sends the picture
    ids in the field ``media``. Each saved picture has a field for its description and a field to remove
    the picture.

    If the rate limit is reached or the decoder is busy, ``try_later`` holds the exception, and
    ``new_uploads`` lacks the refused uploads.
    """

    # This field only holds errors. ``clean`` reads the uploads from ``self.files``.
    pictures = forms.Field(label=_("Add pictures"), required=False)
    confirm_undescribed = forms.BooleanField(required=False)
    accept = ACCEPTED_TYPES

    def __init__(self, *args: Any, owner: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = False
        self._owner = owner
        self.try_later: TryLater | None = None
        self.saved_pictures: list[Picture] = []
        self.new_uploads: list[picture_files.DecodedUpload] = []
        self.is_missing_alt = self.is_missing_picture = False
        self.requires_text = True
        media_ids: list[int | None] = self.initial.get("media", [])
        if self.is_bound:
            media_ids = [parse_id(value) for value in cast("Any", self.data).getlist("media")]
        if media_ids:
            ids = list(dict.fromkeys(media_ids))[: 2 * MAX_PICTURES]
            pictures = Picture.objects.filter(owner=owner).in_bulk([pk for pk in ids if pk])
            self.is_missing_picture = len(pictures) < len(ids)
            self.set_pictures([pictures[pk] for pk in ids if pk in pictures])

    def set_pictures(self, pictures: list[Picture]) -> None:
        """Set the saved pictures, and add the description field and remove field of each picture."""
        self.saved_pictures = pictures
        for picture in pictures:
            self.fields.setdefault(
                f"alt_{picture.pk}",
                PlainTextField(
                    label=_("Description for people who cannot see the picture"),
                    max_length=MAX_ALT_TEXT,
                    required=False,
                    initial=picture.alt,
                    widget=forms.Textarea({"rows": 2}),
                ),
            )
            self.fields.setdefault(
                f"drop_{picture.pk}",
                forms.BooleanField(label=_("Remove"), required=False),
            )

    def picture_rows(self) -> list[tuple[MediaView, forms.BoundField, forms.BoundField]]:
        """Return (picture, description field, remove field) for each saved picture, for the template."""
        views = [picture_view(picture=picture) for picture in self.saved_pictures]
        return [(view, self[f"alt_{view.id}"], self[f"drop_{view.id}"]) for view in views]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        self._remove_dropped(cleaned)
        if self.is_missing_picture:
            self.add_error("pictures", _("One of these pictures no longer exists. Add it again."))
        self._decode_uploads(cast("Any", self.files).getlist("pictures"))
        undescribed = (picture for picture in self.saved_pictures if not picture.alt)
        self.is_missing_alt = bool(self.new_uploads) or any(
            f"alt_{picture.pk}" not in self.errors for picture in undescribed
        )
        if self.is_missing_alt and not cleaned.get("confirm_undescribed"):
            self.add_error(
                "pictures",
                _("Add descriptions for people who cannot see the pictures, then publish."),
            )
        has_pictures = self.saved_pictures or self.new_uploads or "pictures" in self.errors
        has_text = cleaned.get("text") or "text" in self.errors
        if self.requires_text and not (has_text or has_pictures):
            self.add_error("text", self.fields["text"].error_messages["required"])
        # ``IdempotentForm.clean`` hashes ``cleaned``. The digests of the pictures belong to the hash,
        # because the same text with other pictures is another post.
        cleaned["pictures"] = [upload.digest for upload in self.new_uploads]
        return super().clean()

    def _remove_dropped(self, cleaned: dict[str, Any]) -> None:
        dropped_ids = {
            picture.pk for picture in self.saved_pictures if cleaned.get(f"drop_{picture.pk}")
        }
        for pk in dropped_ids:
            self.errors.pop(f"alt_{pk}", None)
        self.saved_pictures = [
            picture for picture in self.saved_pictures if picture.pk not in dropped_ids
        ]
        for picture in self.saved_pictures:
            picture.alt = cleaned.get(f"alt_{picture.pk}", picture.alt)

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
        results = receive_uploads(owner=self._owner, uploads=uploads)
        try:
            for upload, result in zip(uploads, results, strict=True):
                if isinstance(result, BadPicture):
                    name = SingleLineField().to_python(upload.name)[:60]
                    self.add_error("pictures", f"“{name}”: {result}")
                else:
                    self.new_uploads.append(result)
        except TryLater as refusal:
            self.try_later = refusal
            self.add_error("pictures", str(refusal))
