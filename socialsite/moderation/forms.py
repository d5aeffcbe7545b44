"""Forms of users, moderators and administrators."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.brand import colors, logos
from accounts.brand.models import MAX_DESCRIPTION, MAX_LANDING_TEXT, MAX_NAME, Brand
from accounts.forms import PlainTextField, SingleLineField, UploadForm
from accounts.infra.pictures import ACCEPTED_TYPES
from socialsite.moderation.action_kinds import action_kinds_for
from socialsite.moderation.models import MAX_PAGE_LENGTH, MAX_TEXT_LENGTH, Category, Rule, explained
from socialsite.moderation.services.brand import BRAND_FIELDS, prepare_logo


def _offer_rules(form: forms.Form, rules: Sequence[Rule]) -> None:
    """Offer the rules in the field ``rule``, or remove the field if there are none."""
    if not rules:
        del form.fields["rule"]
        return
    choices = [("", _("None of these")), *((str(rule.pk), rule.text) for rule in rules)]
    cast("Any", form.fields["rule"]).choices = choices


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
        _offer_rules(self, rules)

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
        _offer_rules(self, rules)

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
    def action_options(self) -> dict[str, Any]:
        """Return the keyword arguments for ``services.actions.take_action``."""
        days, strike = self.cleaned_data["duration"], self.cleaned_data["is_strike"]
        return {
            "reason": self.full_reason,
            "expires_at": timezone.now() + timedelta(days=int(days)) if days else None,
            "is_strike": strike == "yes" if strike else None,
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


class PageForm(forms.Form):
    """The text of a standard page."""

    use_required_attribute = False
    text = PlainTextField(
        label=_("Text"),
        max_length=MAX_PAGE_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 24}),
        help_text=_("Markdown. Leave empty to show the default text."),
    )


class BrandForm(UploadForm):
    """The name and look of the site.

    An uploaded logo is stored before the brand is saved, and ``stored_logo`` carries its name. So a preview
    shows the logo, and it need not be uploaded again.
    """

    use_required_attribute = False
    name = SingleLineField(label=_("Name"), max_length=MAX_NAME, required=False)
    description = SingleLineField(
        label=_("Short description"),
        max_length=MAX_DESCRIPTION,
        required=False,
        help_text=_("One sentence, for the foot of pages, search engines and apps."),
        widget=forms.Textarea({"rows": 2}),
    )
    landing_text = PlainTextField(
        label=_("Landing text"),
        max_length=MAX_LANDING_TEXT,
        required=False,
        help_text=_("Markdown. Visitors see it on the first page of the site."),
        widget=forms.Textarea({"rows": 5}),
    )
    accent = forms.CharField(
        label=_("Accent color"),
        max_length=20,
        required=False,
        help_text=_(
            "For links and buttons, such as #0d6b57. The dark theme uses a lighter shade of it. "
            "Leave empty for the default."
        ),
        widget=forms.TextInput({"placeholder": "#0d6b57", "spellcheck": "false"}),
    )
    logo = forms.FileField(
        label=_("Logo"),
        required=False,
        help_text=_("JPEG, PNG, WebP or GIF, up to 10 MB, best square and transparent."),
        widget=forms.FileInput({"accept": ACCEPTED_TYPES}),
    )
    stored_logo = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)
    remove_logo = forms.BooleanField(label=_("Remove logo"), required=False)
    language = forms.ChoiceField(
        label=_("Default language"),
        help_text=_("For visitors whose browser asks for no language of this site."),
    )

    def __init__(self, *args: Any, uid: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._uid = uid
        cast("Any", self.fields["language"]).choices = settings.LANGUAGES
        defaults = {"name": settings.SITE_NAME, "description": settings.SITE_DESCRIPTION}
        for name, default in defaults.items():
            if default:
                self.fields[name].widget.attrs["placeholder"] = default

    def clean_accent(self) -> str:
        text = str(self.cleaned_data["accent"]).strip().lower()
        if not text:
            return ""
        accent = f"#{text.removeprefix('#')}"
        if not colors.is_color(accent):
            raise forms.ValidationError(_("Enter a color as # and six digits, such as #0d6b57."))
        ratio = colors.accent_contrast(accent)
        if ratio < colors.MIN_CONTRAST:
            raise forms.ValidationError(
                _(
                    "Texts in this color are hard to read: their contrast is %(ratio).1f, and at "
                    "least %(minimum).1f is needed. The nearest readable shade is %(shade)s."
                )
                % {
                    "ratio": int(ratio * 10)
                    / 10,  # never round a refused contrast up to the minimum
                    "minimum": colors.MIN_CONTRAST,
                    "shade": colors.readable_accent(accent),
                }
            )
        return accent

    def clean_logo(self) -> bytes | None:
        return self.prepared_picture("logo", partial(prepare_logo, uid=self._uid))

    def clean_stored_logo(self) -> str:
        name = str(self.cleaned_data["stored_logo"])
        return name if logos.is_stored(name=name) else ""

    def store_logo(self) -> str:
        """Store an uploaded logo, also if other fields have errors. Return the name of the logo, or ""."""
        upload: bytes | None = self.cleaned_data.get("logo")
        name = str(self.cleaned_data.get("stored_logo", ""))
        if upload is not None:
            name = logos.save_logo(picture=upload)
        elif self.cleaned_data.get("remove_logo"):
            name = ""
        self.data = {**self.data.dict(), "stored_logo": name}  # type: ignore[attr-defined]
        return name

    def brand_values(self) -> dict[str, str]:
        """Store an uploaded logo, and return the values of ``BRAND_FIELDS``. The form must be valid."""
        values = {name: str(self.cleaned_data[name]) for name in BRAND_FIELDS}
        return values | {"logo": self.store_logo()}


def initial_values(row: Brand) -> dict[str, str]:
    """Return the initial values of ``BrandForm``."""
    language = row.language or settings.LANGUAGE_CODE
    values = {name: getattr(row, name) for name in BRAND_FIELDS if name != "logo"}
    return values | {"stored_logo": row.logo, "language": language}
