"""What people may publish."""

import unicodedata

from django import forms
from django.utils.translation import gettext_lazy as _

from .models import MAX_TEXT


class PostForm(forms.Form):
    text = forms.CharField(
        label=_("What is on your mind?"),
        widget=forms.Textarea({"rows": 3, "maxlength": None}),
        error_messages={"required": _("Write something first.")},
    )

    def clean_text(self) -> str:
        """The text as it is kept: composed Unicode, plain line ends, no control characters."""
        text = unicodedata.normalize("NFC", str(self.cleaned_data["text"]))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = "".join(one for one in text if one == "\n" or unicodedata.category(one) != "Cc")
        text = text.strip()
        if not text:
            raise forms.ValidationError(_("Write something first."))
        if len(text) > MAX_TEXT:
            raise forms.ValidationError(
                _("This is %(length)d characters long; at most %(most)d fit.")
                % {"length": len(text), "most": MAX_TEXT}
            )
        return text
