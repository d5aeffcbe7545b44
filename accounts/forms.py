"""Forms for profiles and settings, and form fields for user texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm
from allauth.account.utils import filter_users_by_email
from allauth.mfa.base.forms import BaseAuthenticateForm as CodeForm
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.infra.plain_text import DIRECTION_CONTROLS, clean_text
from accounts.selectors.blocklists import reject_blocked_name
from accounts.services.profiles import change_picture, prepare_picture
from accounts.services.user_notes import MAX_NOTE_LENGTH

from . import usernames
from .infra import pictures
from .infra.refusals import TryLater
from .infra.time_zones import time_zone_names
from .models import MAX_PROFILE_FIELD_LENGTH, MAX_PROFILE_FIELDS, PostVisibility, QuotePolicy, User
from .profile_pictures import AVATAR, HEADER, KINDS, PictureKind
from .user_cards import ProfileField, profile_fields_from

MAX_INVITATION_USES, MAX_INVITATION_USES_BY_STAFF = 10, 10_000
"""Maximum number of sign-ups with one invitation, for ordinary users and for staff."""

MAX_LENGTH_FACTOR = 20
"""How many times longer than ``max_length`` an uncleaned text may be. Cleaning removes invisible
characters."""


class PlainTextField(forms.CharField):
    """Text that ``plain_text`` cleans. Becomes "" if the text has no visible characters.

    ``max_length`` limits the cleaned text, not the submitted text.
    """

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        if self.max_length is not None and len(text) > MAX_LENGTH_FACTOR * self.max_length:
            return text  # validation refuses a text of this length, so cleaning would waste time
        return clean_text(text)


class SingleLineField(PlainTextField):
    """One line of text without direction controls, which would affect the text around the line."""

    def to_python(self, value: Any) -> str:
        return " ".join(DIRECTION_CONTROLS.sub("", super().to_python(value)).split())


class UploadForm(forms.Form):
    """A form with pictures.

    ``try_later`` is set if a picture cannot be processed now but may be uploaded again later.
    """

    try_later: TryLater | None = None

    def prepared_picture(self, name: str, prepare: Callable[..., bytes]) -> bytes | None:
        """Return the sanitized picture of a field, or None if none was uploaded."""
        upload: UploadedFile[bytes] | None = self.cleaned_data[name]
        if upload is None:
            return None
        try:
            return prepare(upload=upload)
        except pictures.BadPicture as error:
            raise forms.ValidationError(str(error)) from error
        except TryLater as error:
            self.try_later = error
            raise forms.ValidationError(str(error)) from error


class NameAndPictureForm(UploadForm):
    """The name and picture of a user, which the first step after sign-up asks for."""

    display_name = SingleLineField(label=_("Name"), max_length=30, required=False)
    avatar = forms.FileField(
        label=_("Profile picture"),
        required=False,
        help_text=_("JPEG, PNG, WebP or GIF, up to 10 MB. It is cropped to a square."),
        widget=forms.FileInput({"accept": pictures.ACCEPTED_TYPES}),
    )
    remove_avatar = forms.BooleanField(label=_("Remove picture"), required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._uid: int = user.pk
        if not user.avatar:
            del self.fields["remove_avatar"]

    def clean_avatar(self) -> bytes | None:
        return self._prepare_picture(AVATAR)

    def _prepare_picture(self, kind: PictureKind) -> bytes | None:
        prepare = partial(prepare_picture, kind=kind, uid=self._uid)
        return self.prepared_picture(kind.field, prepare)

    def save_pictures(self) -> bool:
        """Save the new pictures, and remove those that the user wants removed. The form must be valid.

        If the storage fails, the form gets an error, and the result is False.
        """
        for kind in KINDS:
            picture = self.cleaned_data.get(kind.field)
            if picture or self.cleaned_data.get(f"remove_{kind.field}"):
                try:
                    change_picture(kind=kind, uid=self._uid, picture=picture)
                except TryLater as error:
                    self.try_later = error
                    self.add_error(kind.field, str(error))
                    return False
        return True


class ProfileForm(NameAndPictureForm):
    """The profile of a user, with pairs of form fields for the label and value of each profile field."""

    bio = PlainTextField(
        label=_("Bio"),
        max_length=500,
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )
    header = forms.FileField(
        label=_("Header picture"),
        required=False,
        help_text=_(
            "A wide picture above your name. It is cropped to be three times as wide as high."
        ),
        widget=forms.FileInput({"accept": pictures.ACCEPTED_TYPES}),
    )
    remove_header = forms.BooleanField(label=_("Remove header picture"), required=False)
    is_bot = forms.BooleanField(
        label=_("This is an automated account"),
        required=False,
        help_text=_("Your profile and lists of people show a label."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        if not user.header:
            del self.fields["remove_header"]
        stored_fields = profile_fields_from(stored=user.profile_fields)
        for number in range(MAX_PROFILE_FIELDS):
            stored = stored_fields[number] if number < len(stored_fields) else ProfileField("", "")
            for name, label, initial in zip(
                self._names_of(number), (_("Label"), _("Content")), stored[:2], strict=True
            ):
                self.fields[name] = SingleLineField(
                    label=label,
                    max_length=MAX_PROFILE_FIELD_LENGTH,
                    required=False,
                    initial=initial,
                )

    @staticmethod
    def _names_of(number: int) -> tuple[str, str]:
        return f"field_{number + 1}_name", f"field_{number + 1}_value"

    def clean_header(self) -> bytes | None:
        return self._prepare_picture(HEADER)

    def clean(self) -> dict[str, Any]:
        """Add ``profile_fields``, without empty pairs. A label needs a content, and a content a label."""
        cleaned: dict[str, Any] = super().clean() or {}
        profile_fields = []
        for number in range(MAX_PROFILE_FIELDS):
            label_name, value_name = self._names_of(number)
            field = ProfileField(cleaned.get(label_name, ""), cleaned.get(value_name, ""))
            if field.name and field.value:
                profile_fields.append(field)
            elif field.name and value_name in cleaned:
                self.add_error(value_name, _("Enter the content for this label."))
            elif field.value and label_name in cleaned:
                self.add_error(label_name, _("Enter a label for this content."))
        return {**cleaned, "profile_fields": profile_fields}

    def field_pairs(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """Return the form fields for label and value of each profile field, for the template."""
        pairs = [self._names_of(number) for number in range(MAX_PROFILE_FIELDS)]
        return [(self[label_name], self[value_name]) for label_name, value_name in pairs]


class UsernameForm(forms.Form):
    username = forms.CharField(
        label=_("Username"),
        max_length=usernames.MAX_LENGTH,
        validators=usernames.validators,
        help_text=_(
            "Links to your old username will stop working. You keep your posts and followers."
        ),
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user

    def clean_username(self) -> str:
        username = str(self.cleaned_data["username"]).lower()
        if username == self._user.username:
            return username
        usernames.reject_reserved_name(username)
        reject_blocked_name(name=username)
        if User.objects.filter(username=username).exists():
            raise forms.ValidationError(_("This username is taken. Choose another one."))
        return username


class PrivacyForm(forms.Form):
    is_private = forms.BooleanField(
        label=_("Private account"),
        required=False,
        help_text=_(
            "You approve new followers, and only followers see your posts. You keep "
            "your existing followers."
        ),
    )
    post_visibility = forms.ChoiceField(
        label=_("Who can see new posts"),
        choices=PostVisibility.choices,
        required=False,
        help_text=_("New posts start with this choice. You can change it for each post."),
    )
    quote_policy = forms.ChoiceField(
        label=_("Who can quote new posts"),
        choices=QuotePolicy.choices,
        required=False,
        help_text=_("You can change it for each post, and remove your post from a single quote."),
    )
    has_sensitive_media = forms.BooleanField(
        label=_("Hide my pictures and videos behind a warning"),
        required=False,
        help_text=_("People see them once they open the post. You can change it for each post."),
    )
    is_indexable = forms.BooleanField(
        label=_("Search engines may list me"),
        required=False,
        help_text=_("Your profile and public posts can appear in their results."),
    )
    is_discoverable = forms.BooleanField(
        label=_("Suggest me to others"),
        required=False,
        help_text=_("You and your public posts can appear under Explore and in suggestions."),
    )
    has_view_counts = forms.BooleanField(
        label=_("Count views of my posts"),
        required=False,
        help_text=_("Only you see the counts. Nobody can see who viewed a post, not even you."),
    )
    description_reminder = forms.ChoiceField(
        label=_("Pictures without a description"),
        choices=User.DescriptionReminder.choices,
        required=False,
        help_text=_("Descriptions are for people who cannot see your pictures."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.COUNT_VIEWS:
            del self.fields["has_view_counts"]


class LocaleForm(forms.Form):
    """The language and the time zone of a user. ``BROWSER`` stands for those of the browser."""

    BROWSER = "browser"

    language = forms.ChoiceField(
        label=_("Language"), help_text=_("For pages, emails and notifications on your devices.")
    )
    time_zone = forms.ChoiceField(label=_("Time zone"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language: Any = self.fields["language"]
        language.choices = [
            (self.BROWSER, _("Use the language of the browser")),
            *settings.LANGUAGES,
        ]
        time_zone: Any = self.fields["time_zone"]
        time_zone.choices = [
            (self.BROWSER, _("Use the time zone of the browser")),
            *((name, name.replace("_", " ")) for name in time_zone_names()),
        ]

    def clean_language(self) -> str:
        """Return the code of the language, or "" for the browser's."""
        code = str(self.cleaned_data["language"])
        return "" if code == self.BROWSER else code

    def clean_time_zone(self) -> str:
        """Return the name of the time zone, or "" for the browser's."""
        name = str(self.cleaned_data["time_zone"])
        return "" if name == self.BROWSER else name


class ConfirmIdentityForm(forms.Form):
    """Password and, if enabled, two-factor code. Required before actions that are hard to undo."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        label=_("Code from your authenticator app, or a recovery code"),
        max_length=20,
        widget=forms.TextInput({"autocomplete": "one-time-code"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user
        if not is_mfa_enabled(user):
            del self.fields["code"]

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not self._user.check_password(password):
            raise forms.ValidationError(_("The password is incorrect. Try again."))
        return password

    def clean_code(self) -> str:
        # Check the code only after the correct password, because the check invalidates a recovery code.
        if "password" not in self.cleaned_data:
            return ""
        code_form = CodeForm({"code": self.cleaned_data["code"]}, user=self._user)
        if not code_form.is_valid():
            raise forms.ValidationError(code_form.errors["code"].as_data())
        return str(code_form.cleaned_data["code"])


class MuteForm(forms.Form):
    """The duration of a mute, and whether the viewer still gets notifications about the user.

    ``hours`` is None for a permanent mute.
    """

    hours = forms.IntegerField(required=False, min_value=1, max_value=366 * 24)
    shows_notifications = forms.BooleanField(required=False)


class NoteForm(forms.Form):
    """A private note about another user. An empty text deletes the note."""

    text = PlainTextField(
        label=_("Your note"),
        required=False,
        max_length=MAX_NOTE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_("Only you see this note."),
    )


class InvitationForm(forms.Form):
    """A new invitation. If ``valid_days`` is 0, the invitation does not expire. Only staff can choose 0."""

    max_uses = forms.IntegerField(
        label=_("Maximum number of uses"), min_value=1, max_value=MAX_INVITATION_USES, initial=1
    )
    valid_days = forms.TypedChoiceField(label=_("Expires after"), coerce=int, initial=7)

    def __init__(self, *args: Any, is_staff: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(1, _("1 day")), (7, _("7 days")), (30, _("30 days"))]
        days: Any = self.fields["valid_days"]
        days.choices = [*choices, (0, pgettext_lazy("expiry", "Never"))] if is_staff else choices
        if is_staff:
            self.fields["max_uses"] = forms.IntegerField(
                label=_("Maximum number of uses"),
                min_value=1,
                max_value=MAX_INVITATION_USES_BY_STAFF,
                initial=1,
            )


class ResetForm(ResetPasswordForm):
    """Password reset for all users. Inactive users need a password to reactivate their account."""

    def clean_email(self) -> str:
        email: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        self.users = filter_users_by_email(email, prefer_verified=True)
        return email
