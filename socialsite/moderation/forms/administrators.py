"""Forms of administrators: the branding and the standard pages."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.brand import colors, logos
from accounts.brand.models import MAX_DESCRIPTION, MAX_LANDING_TEXT, MAX_NAME, Brand
from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.pictures import ACCEPTED_TYPES, BadPicture
from accounts.infra.refusals import TryLater
from socialsite.moderation.models import MAX_PAGE_LENGTH
from socialsite.moderation.services.brand import BRAND_FIELDS, prepare_logo


class PageForm(forms.Form):
    """The text of a standard page."""

    use_required_attribute = False
    text = PlainTextField(
        label=gettext_lazy("Text"),
        max_length=MAX_PAGE_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 24}),
        help_text=gettext_lazy("Markdown. Leave empty to show the default text."),
    )


class BrandForm(forms.Form):
    """The name and look of the site.

    An uploaded logo is stored before the brand is saved, and ``stored_logo`` carries its name. So a preview
    shows the logo, and it need not be uploaded again. ``retry_error`` is set if the logo cannot be
    processed now but may be uploaded again later.
    """

    use_required_attribute = False
    name = SingleLineField(label=gettext_lazy("Name"), max_length=MAX_NAME, required=False)
    description = SingleLineField(
        label=gettext_lazy("Short description"),
        max_length=MAX_DESCRIPTION,
        required=False,
        help_text=gettext_lazy("One sentence, for the foot of pages, search engines and apps."),
        widget=forms.Textarea({"rows": 2}),
    )
    landing_text = PlainTextField(
        label=gettext_lazy("Landing text"),
        max_length=MAX_LANDING_TEXT,
        required=False,
        help_text=gettext_lazy("Markdown. Visitors see it on the first page of the site."),
        widget=forms.Textarea({"rows": 5}),
    )
    accent = forms.CharField(
        label=gettext_lazy("Accent color"),
        max_length=20,
        required=False,
        help_text=gettext_lazy(
            "For links and buttons, such as #0d6b57. The dark theme uses a lighter shade of it. "
            "Leave empty for the default."
        ),
        widget=forms.TextInput({"placeholder": "#0d6b57", "spellcheck": "false"}),
    )
    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        required=False,
        help_text=gettext_lazy("JPEG, PNG, WebP or GIF, up to 10 MB, best square and transparent."),
        widget=forms.FileInput({"accept": ACCEPTED_TYPES}),
    )
    stored_logo = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)
    remove_logo = forms.BooleanField(label=gettext_lazy("Remove logo"), required=False)
    language = forms.ChoiceField(
        label=gettext_lazy("Default language"),
        help_text=gettext_lazy("For visitors whose browser asks for no language of this site."),
    )

    def __init__(self, *args: Any, uid: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.retry_error: TryLater | None = None
        self._uid = uid
        cast("Any", self.fields["language"]).choices = settings.LANGUAGES
        defaults = {"name": settings.SITE_NAME, "description": settings.SITE_DESCRIPTION}
        for name, default in defaults.items():
            if default:
                self.fields[name].widget.attrs["placeholder"] = default

    def clean_accent(self) -> str:
        text = str(self.cleaned_data["accent"]).strip().lower()
        if not text:
            return ""
        accent = f"#{text.removeprefix('#')}"
        if not colors.is_color(accent):
            raise forms.ValidationError(_("Enter a color as # and six digits, such as #0d6b57."))
        ratio = colors.accent_contrast(accent)
        if ratio < colors.MIN_CONTRAST:
            raise forms.ValidationError(
                _(
                    "Texts in this color are hard to read: their contrast is %(ratio).1f, and at "
                    "least %(minimum).1f is needed. The nearest readable shade is %(shade)s."
                )
                % {
                    "ratio": int(ratio * 10)
                    / 10,  # never round a refused contrast up to the minimum
                    "minimum": colors.MIN_CONTRAST,
                    "shade": colors.readable_accent(accent),
                }
            )
        return accent

    def clean_logo(self) -> bytes | None:
        """Return the sanitized logo, or None if none was uploaded."""
        upload: UploadedFile[bytes] | None = self.cleaned_data["logo"]
        if upload is None:
            return None
        try:
            return prepare_logo(uid=self._uid, upload=upload)
        except BadPicture as error:
            raise forms.ValidationError(str(error)) from error
        except TryLater as error:
            self.retry_error = error
            raise forms.ValidationError(str(error)) from error

    def clean_stored_logo(self) -> str:
        name = str(self.cleaned_data["stored_logo"])
        return name if logos.is_stored(name=name) else ""

    def store_logo(self) -> str:
        """Store an uploaded logo, also if other fields have errors. Return the name of the logo, or ""."""
        upload: bytes | None = self.cleaned_data.get("logo")
        name = str(self.cleaned_data.get("stored_logo", ""))
        if upload is not None:
            name = logos.save_logo(picture=upload)
        elif self.cleaned_data.get("remove_logo"):
            name = ""
        self.data = {**self.data.dict(), "stored_logo": name}  # type: ignore[attr-defined]
        return name

    def brand_values(self) -> dict[str, str]:
        """Store an uploaded logo, and return the values of ``BRAND_FIELDS``. The form must be valid."""
        values = {name: str(self.cleaned_data[name]) for name in BRAND_FIELDS}
        return values | {"logo": self.store_logo()}


def initial_values(row: Brand) -> dict[str, str]:
    """Return the initial values of ``BrandForm``."""
    language = row.language or settings.LANGUAGE_CODE
    values = {name: getattr(row, name) for name in BRAND_FIELDS if name != "logo"}
    return values | {"stored_logo": row.logo, "language": language}
