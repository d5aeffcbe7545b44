"""Forms of moderators in the admin."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from socialsite.moderation.action_kinds import action_kinds_for
from socialsite.moderation.models import MAX_TEXT_LENGTH, Rule, explained


def _text_field(
    *, label: Any, rows: int, required: bool = False, help_text: Any = ""
) -> forms.CharField:
    widget = forms.Textarea({"rows": rows, "class": "vLargeTextField"})
    return forms.CharField(
        label=label,
        max_length=MAX_TEXT_LENGTH,
        required=required,
        widget=widget,
        help_text=help_text,
    )


class ActionForm(forms.Form):
    """The options of a moderation action. The user sees the rule and the reason.

    At least one of the two is required.
    """

    use_required_attribute = False
    rule = forms.ChoiceField(label=_("Violated rule"), required=False)
    reason = _text_field(label=_("Reason"), rows=3, help_text=_("Shown to the user."))
    duration = forms.ChoiceField(
        label=_("Duration"),
        required=False,
        choices=[
            ("", _("Until undone")),
            ("1", _("1 day")),
            ("7", _("1 week")),
            ("30", _("1 month")),
        ],
    )
    is_strike = forms.ChoiceField(
        label=_("Counts as a strike"),
        required=False,
        choices=[("", _("Default for the action")), ("yes", _("Yes")), ("no", _("No"))],
    )
    should_notify = forms.BooleanField(label=_("Notify the user"), required=False, initial=True)

    def __init__(self, *args: Any, rules: Sequence[Rule] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rule_field: Any = self.fields["rule"]
        rule_field.choices = [
            ("", _("None of these")),
            *((str(rule.pk), rule.text) for rule in rules),
        ]
        if not rules:
            del self.fields["rule"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not (cleaned.get("rule") or cleaned.get("reason") or self.errors):
            message = _("Choose a rule or enter a reason.")
            if "rule" not in self.fields:
                message = _("Enter a reason.")
            self.add_error("reason", message)
        if not self.errors and len(self.full_reason) > MAX_TEXT_LENGTH:
            self.add_error(
                "reason", _("The reason and the rule together are too long. Shorten the reason.")
            )
        return cleaned

    @property
    def full_reason(self) -> str:
        """Return the text for the user: the rule and the reason."""
        rule_field: Any = self.fields.get("rule")
        rule_texts = dict(rule_field.choices) if rule_field else {}
        rule_id = self.cleaned_data.get("rule")
        return explained(rule_texts[rule_id] if rule_id else "", self.cleaned_data["reason"])

    @property
    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["duration"]
        return timezone.now() + timedelta(days=int(days)) if days else None

    @property
    def strike_override(self) -> bool | None:
        """Return whether the action counts as a strike, or None for the default of the action."""
        choice = self.cleaned_data["is_strike"]
        return None if not choice else choice == "yes"

    @property
    def action_options(self) -> dict[str, Any]:
        """Return the keyword arguments for ``services.actions.take_action``."""
        return {
            "reason": self.full_reason,
            "expires_at": self.expires_at,
            "is_strike": self.strike_override,
            "should_notify": self.cleaned_data["should_notify"],
        }


class NoteForm(forms.Form):
    use_required_attribute = False
    text = _text_field(label=_("Add a note for other moderators"), rows=2, required=True)


class AppealDecisionForm(forms.Form):
    use_required_attribute = False
    response = _text_field(
        label=pgettext_lazy("noun", "Reply"), rows=2, help_text=_("Shown to the user.")
    )


class BulkActionForm(ActionForm):
    """The options of one action that is taken against many subjects of the same kind."""

    field_order = ("action",)
    action = forms.ChoiceField(label=_("Action"))

    def __init__(self, *args: Any, subject_kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        action_field: Any = self.fields["action"]
        action_field.choices = [
            (kind.name, kind.label) for kind in action_kinds_for(subject_kind=subject_kind)
        ]
