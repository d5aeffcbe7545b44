"""Forms that users send to the moderators: reports and appeals."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import PlainTextField
from socialsite.moderation.models import MAX_TEXT_LENGTH, Category, Rule

NO_RULE = ("", _("None of these"))


class ReportForm(forms.Form):
    category = forms.ChoiceField(
        label=_("What is the problem?"), choices=Category.choices, widget=forms.RadioSelect
    )
    rule = forms.ChoiceField(
        label=_("Which rule was broken?"), required=False, widget=forms.RadioSelect
    )
    text = PlainTextField(
        label=_("Additional information for the moderators"),
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
        rule_id = self.cleaned_data["rule"]
        return int(rule_id) if rule_id else None


class AppealForm(forms.Form):
    text = PlainTextField(
        label=_("Why should the moderators change their decision?"),
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea({"rows": 5}),
        error_messages={"required": _("Explain why you disagree with the decision.")},
    )
