"""What people may write about themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from . import avatars, usernames
from .models import User


class ProfileForm(forms.Form):
    display_name = forms.CharField(label=_("Name"), max_length=30, required=False)
    bio = forms.CharField(
        label=_("About you"),
        max_length=500,
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )
    avatar = forms.FileField(
        label=_("Picture"),
        required=False,
        help_text=_("JPEG, PNG, WebP or GIF, up to 10 MB. It is cropped to a square."),
        widget=forms.FileInput({"accept": "image/jpeg,image/png,image/webp,image/gif"}),
    )
    remove_avatar = forms.BooleanField(label=_("Remove the picture"), required=False)

    def clean_display_name(self) -> str:
        return " ".join(str(self.cleaned_data["display_name"]).split())

    def clean_avatar(self) -> UploadedFile[bytes] | None:
        upload: UploadedFile[bytes] | None = self.cleaned_data["avatar"]
        if upload is None:
            return None
        if upload.size is not None and upload.size > avatars.MAX_BYTES:
            raise forms.ValidationError(_("This picture is larger than 10 MB."))
        try:
            avatars.reencode(data=upload.read())
        except avatars.BadPicture as error:
            raise forms.ValidationError(str(error)) from error
        upload.seek(0)
        return upload


class UsernameForm(forms.Form):
    username = forms.CharField(
        label=_("User name"),
        max_length=usernames.MAX_LENGTH,
        validators=usernames.validators,
        help_text=_("Links to your old name stop working. Your posts and followers stay."),
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, uid: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._uid = uid

    def clean_username(self) -> str:
        username = str(self.cleaned_data["username"]).lower()
        if User.objects.filter(username=username).exclude(pk=self._uid).exists():
            raise forms.ValidationError(_("Somebody already has this name."))
        return username
