"""Forms for the archive of an import, and for the languages in which a viewer follows a user."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from feed.text.languages import language_choices, language_name

MAX_ARCHIVE_MEGABYTES = 60
"""Maximum size of an uploaded archive.

It is below the size limit of a request (``socialsite.request_bodies``), which also has other form data.
"""


class ArchiveForm(forms.Form):
    archive = forms.FileField(
        label=_("Archive"),
        help_text=format_lazy(
            _(
                "A .zip file of up to {limit} MB. To import a larger archive, contact the site "
                "administrators."
            ),
            limit=MAX_ARCHIVE_MEGABYTES,
        ),
        widget=forms.FileInput({"accept": ".zip,application/zip"}),
    )

    def clean_archive(self) -> Any:
        upload = self.cleaned_data["archive"]
        if upload.size > MAX_ARCHIVE_MEGABYTES * 1024 * 1024:
            raise forms.ValidationError(
                _("This archive is too large. The limit is %(limit)d MB.")
                % {"limit": MAX_ARCHIVE_MEGABYTES}
            )
        return upload


class FollowLanguagesForm(forms.Form):
    """The languages in which the home timeline shows the posts of a followed user, empty for all."""

    languages = forms.MultipleChoiceField(label=_("Languages"), required=False)

    def __init__(self, *args: Any, chosen: Collection[str], **kwargs: Any) -> None:
        """``chosen`` may contain languages from an app that pages do not offer."""
        super().__init__(*args, **kwargs)
        names = dict(language_choices()) | {code: language_name(code) for code in chosen}
        field: Any = self.fields["languages"]
        field.choices = list(names.items())
