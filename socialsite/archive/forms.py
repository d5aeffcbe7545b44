from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

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
