"""What moderators fill in."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from socialsite.moderation.actions import kinds_for
from socialsite.moderation.models import MAX_WORDS


def _words(
    *, label: Any, rows: int, required: bool = False, help_text: Any = ""
) -> forms.CharField:
    widget = forms.Textarea({"rows": rows, "class": "vLargeTextField"})
    return forms.CharField(
        label=label, max_length=MAX_WORDS, required=required, widget=widget, help_text=help_text
    )


class ActForm(forms.Form):
    """``expires_at``, ``strike`` (None: as usual for the action) and ``is_told`` say how it is done."""

    use_required_attribute = False
    reason = _words(label=_("Reason"), rows=3, help_text=_("The person reads it."))
    expiry = forms.ChoiceField(
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
    is_told = forms.BooleanField(label=_("Tell the person"), required=False, initial=True)

    @property
    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["expiry"]
        return timezone.now() + timedelta(days=int(days)) if days else None

    @property
    def strike(self) -> bool | None:
        said = self.cleaned_data["is_strike"]
        return None if not said else said == "yes"

    @property
    def how(self) -> dict[str, Any]:
        """As ``services.take_action`` takes it."""
        return {
            "reason": self.cleaned_data["reason"],
            "expires_at": self.expires_at,
            "is_strike": self.strike,
            "is_told": self.cleaned_data["is_told"],
        }


class NoteForm(forms.Form):
    use_required_attribute = False
    text = _words(label=_("Add a note for other moderators"), rows=2, required=True)


class AppealForm(forms.Form):
    use_required_attribute = False
    answer = _words(label=_("Answer"), rows=2, help_text=_("The person reads it."))


class BulkForm(ActForm):
    """The same to many, all of one kind (``subject_kind``)."""

    field_order = ("action",)
    action = forms.ChoiceField(label=_("What to do"))

    def __init__(self, *args: Any, subject_kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        action: Any = self.fields["action"]
        action.choices = [(one.name, one.label) for one in kinds_for(subject_kind=subject_kind)]
