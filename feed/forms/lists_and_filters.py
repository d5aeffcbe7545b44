"""Forms for user lists, filters and search."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField


class ListForm(forms.Form):
    title = SingleLineField(label=_("List name"), max_length=60)


class FilterForm(forms.Form):
    """Create a filter. ``hours`` is None for a permanent filter."""

    phrase = SingleLineField(
        label=_("Word or phrase"),
        max_length=100,
        help_text=_("Matches whole words, in upper or lower case."),
    )
    has_warning = forms.ChoiceField(
        label=_("Filter action"),
        choices=[("", _("Hide posts")), ("1", _("Show posts behind a warning"))],
        required=False,
    )
    hours = forms.TypedChoiceField(
        label=_("Duration"),
        choices=[
            ("", _("Permanently")),
            ("1", _("1 hour")),
            ("24", _("1 day")),
            ("168", _("1 week")),
            ("720", _("30 days")),
        ],
        coerce=int,
        empty_value=None,
        required=False,
    )

    def clean_has_warning(self) -> bool:
        return bool(self.cleaned_data["has_warning"])


class SearchForm(forms.Form):
    MAX_LENGTH = 100

    q = SingleLineField(
        label=_("Search"),
        max_length=MAX_LENGTH,
        required=False,
        widget=forms.TextInput(
            {"type": "search", "placeholder": _("Search"), "enterkeyhint": "search"}
        ),
        error_messages={"max_length": _("Enter at most 100 characters.")},
    )
