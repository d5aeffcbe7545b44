"""What moderators fill in."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from socialsite.moderation.action_kinds import action_kinds_for
from socialsite.moderation.models import MAX_TEXT_LENGTH, Rule


def _words(
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
    """``expires_at``, ``strike`` (None: as usual for the action) and ``is_told`` say how it is done.

    The person reads the ``rule`` and the ``reason``: one of them has to be given.
    """

    use_required_attribute = False
    rule = forms.ChoiceField(label=_("Rule that was broken"), required=False)
    reason = _words(label=_("Reason"), rows=3, help_text=_("The person reads it."))
    duration = forms.ChoiceField(
        label=_("For how long"),
        required=False,
        choices=[
            ("", _("Until it is undone")),
            ("1", _("1 day")),
            ("7", _("1 week")),
            ("30", _("1 month")),
        ],
    )
    is_strike = forms.ChoiceField(
        label=_("Counts as a strike"),
        required=False,
        choices=[("", _("As usual for the action")), ("yes", _("Yes")), ("no", _("No"))],
    )
    should_notify = forms.BooleanField(label=_("Tell the person"), required=False, initial=True)

    def __init__(self, *args: Any, rules: Sequence[Rule] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rule: Any = self.fields["rule"]
        rule.choices = [("", _("None of them")), *((str(rule.pk), rule.text) for rule in rules)]
        if not rules:
            del self.fields["rule"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not (cleaned.get("rule") or cleaned.get("reason") or self.errors):
            words = _("Choose a rule or write a reason.")
            if "rule" not in self.fields:
                words = _("Write a reason.")
            self.add_error("reason", words)
        if not self.errors and len(self.full_reason) > MAX_TEXT_LENGTH:
            self.add_error("reason", _("With the rule, this is too long."))
        return cleaned

    @property
    def full_reason(self) -> str:
        """As the person reads it."""
        rules: Any = self.fields.get("rule")
        texts = dict(rules.choices) if rules else {}
        rule = self.cleaned_data.get("rule")
        return "\n".join(filter(None, [texts[rule] if rule else "", self.cleaned_data["reason"]]))

    @property
    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["expiry"]
        return timezone.now() + timedelta(days=int(days)) if days else None

    @property
    def strike_override(self) -> bool | None:
        said = self.cleaned_data["is_strike"]
        return None if not said else said == "yes"

    @property
    def action_options(self) -> dict[str, Any]:
        """As ``services.take_action`` takes it."""
        return {
            "reason": self.full_reason,
            "expires_at": self.expires_at,
            "is_strike": self.strike_override,
            "is_told": self.cleaned_data["is_told"],
        }


class NoteForm(forms.Form):
    use_required_attribute = False
    text = _words(label=_("Add a note for other moderators"), rows=2, required=True)


class AppealDecisionForm(forms.Form):
    use_required_attribute = False
    response = _words(label=_("Answer"), rows=2, help_text=_("The person reads it."))


class BulkActionForm(ActionForm):
    """The same to many, all of one kind (``subject_kind``)."""

    field_order = ("action",)
    action = forms.ChoiceField(label=_("What to do"))

    def __init__(self, *args: Any, subject_kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        action: Any = self.fields["action"]
        action.choices = [
            (one.name, one.label) for one in action_kinds_for(subject_kind=subject_kind)
        ]
