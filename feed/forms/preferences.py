"""An archive that somebody sends."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

MAX_ARCHIVE_MEGABYTES = 60
"""What fits into one request (``socialsite.request_bodies``), with some room for what is around it."""


class ArchiveForm(forms.Form):
    archive = forms.FileField(
        label=_("Archive"),
        help_text=_("A .zip file, at most %(most)d MB. For a larger one, ask who runs this site.")
        % {"most": MAX_ARCHIVE_MEGABYTES},
        widget=forms.FileInput({"accept": ".zip,application/zip"}),
    )

    def clean_archive(self) -> Any:
        upload = self.cleaned_data["archive"]
        if upload.size > MAX_ARCHIVE_MEGABYTES * 1024 * 1024:
            raise forms.ValidationError(
                _("This archive is larger than %(most)d MB.") % {"most": MAX_ARCHIVE_MEGABYTES}
            )
        return upload
