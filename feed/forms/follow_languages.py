from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from feed.text.languages import language_choices, language_name


class FollowLanguagesForm(forms.Form):
    """The languages in which the home timeline shows the posts of a followed user, empty for all."""

    languages = forms.MultipleChoiceField(label=_("Languages"), required=False)

    def __init__(self, *args: Any, chosen: Collection[str], **kwargs: Any) -> None:
        """``chosen`` may contain languages from an app that pages do not offer."""
        super().__init__(*args, **kwargs)
        names = dict(language_choices()) | {code: language_name(code) for code in chosen}
        field: Any = self.fields["languages"]
        field.choices = list(names.items())
