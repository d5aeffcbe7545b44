"""What people tell the moderators."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField
from socialsite.moderation.models import MAX_TEXT_LENGTH, Category, Rule

NO_RULE = ("", _("None of them"))


class ReportForm(forms.Form):
    category = forms.ChoiceField(
        label=_("What is wrong with it?"), choices=Category.choices, widget=forms.RadioSelect
    )
    rule = forms.ChoiceField(
        label=_("Which rule does it break?"), required=False, widget=forms.RadioSelect
    )
    text = PlainTextField(
        label=_("Anything the moderators should know"),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )

    def __init__(self, *args: Any, rules: list[Rule], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not rules:
            del self.fields["rule"]
            return
        choices = [NO_RULE, *((str(rule.pk), rule.text) for rule in rules)]
        self.fields["rule"].choices = choices  # type: ignore[attr-defined]

    def clean_rule(self) -> int | None:
        chosen = self.cleaned_data["rule"]
        return int(chosen) if chosen else None


class AppealForm(forms.Form):
    text = PlainTextField(
        label=_("Why should the moderators decide otherwise?"),
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea({"rows": 5}),
        error_messages={"required": _("Say why first.")},
    )
