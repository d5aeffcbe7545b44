"""Pictures with a post, and what they show."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.paging import parse_id
from accounts.infra.pictures import ACCEPTED_TYPES, BadPicture
from accounts.infra.refusals import TryLater
from feed import picture_files
from feed.models import MAX_ALT_TEXT, MAX_PICTURES, Picture
from feed.selectors.pages import MediaView
from feed.selectors.pictures import picture_view
from feed.services.pictures import receive_uploads

from .text import IdempotentForm


class PicturesForm(IdempotentForm):
    """Up to four pictures with a description each, by whom ``owner`` names.

    An upload is never sent twice: it comes back with the form as one of ``described``, which the view has
    kept and shown (``show``). Their ids are in the field ``media``, and each has fields for its
    description and for leaving it out. ``made``: new uploads, to be kept even if something is wrong.
    ``refusal``: why the rest of the uploads is not taken for now.
    """

    # Errors stand beside it; the files themselves are in ``self.files``.
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
        given: list[int | None] = self.initial.get("media", [])
        if self.is_bound:
            given = [parse_id(one) for one in cast("Any", self.data).getlist("media")]
        if given:
            ids = list(dict.fromkeys(given))[: 2 * MAX_PICTURES]
            there = Picture.objects.filter(owner=owner).in_bulk([pk for pk in ids if pk])
            self.is_missing_picture = len(there) < len(ids)
            self.set_pictures([there[pk] for pk in ids if pk in there])

    def set_pictures(self, described: list[Picture]) -> None:
        """Have fields for these and no other pictures."""
        self.saved_pictures = described
        for picture in described:
            self.fields.setdefault(
                f"alt_{picture.pk}",
                PlainTextField(
                    label=_("Description"),
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
        """For the template: each picture with its fields."""
        views = [picture_view(picture=picture) for picture in self.saved_pictures]
        return [(view, self[f"alt_{view.id}"], self[f"drop_{view.id}"]) for view in views]

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        self._leave_out(given)
        if self.is_missing_picture:
            self.add_error(
                "pictures", _("One of these pictures is not there any more. Add it again.")
            )
        self._look_at(cast("Any", self.files).getlist("pictures"))
        undescribed = (one for one in self.saved_pictures if not one.alt)
        self.is_missing_alt = bool(self.new_uploads) or any(
            f"alt_{one.pk}" not in self.errors for one in undescribed
        )
        if self.is_missing_alt and not given.get("undescribed"):
            self.add_error(
                "pictures",
                _("Say what the pictures show, for people who cannot see them. Then publish."),
            )
        has_pictures = self.saved_pictures or self.new_uploads or "pictures" in self.errors
        has_words = given.get("text") or "text" in self.errors
        if self.requires_text and not (has_words or has_pictures):
            self.add_error("text", self.fields["text"].error_messages["required"])
        given["pictures"] = [one.digest for one in self.new_uploads]  # for the key
        return super().clean()

    def _leave_out(self, given: dict[str, Any]) -> None:
        dropped = {one.pk for one in self.saved_pictures if given.get(f"drop_{one.pk}")}
        for pk in dropped:
            self.errors.pop(f"alt_{pk}", None)
        self.saved_pictures = [one for one in self.saved_pictures if one.pk not in dropped]
        for one in self.saved_pictures:
            one.alt = given.get(f"alt_{one.pk}", one.alt)

    def _look_at(self, uploads: list[Any]) -> None:
        count = len(self.saved_pictures) + len(uploads)
        if count > MAX_PICTURES:
            self.add_error(
                "pictures",
                _("A post can have up to %(limit)d pictures. These would be %(count)d.")
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
