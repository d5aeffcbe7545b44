"""Polls: questions with choices. ``store.answers`` counts the votes. ``Post.details`` of a poll:

    {choices: ["Tea", "Coffee"], is_multiple, hides_totals, ends_at, counts: [3, 5], voters: 8,
     is_end_pending, is_imported?}

* ``ends_at`` is a time in seconds since 1970.
* ``counts`` are the votes for each choice, ``voters`` is the number of users who voted. Both are written in
  the transaction of the vote.
* ``is_end_pending`` is True until the voters are notified about the end.
* ``is_imported`` is True if the numbers are from an archive of another site. Nobody can vote.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.forms import SingleLineField
from accounts.infra.rate_limits import format_duration
from feed.activities import (
    POST_BODY,
    Activity,
    AnswersClosed,
    CannotAnswer,
    Details,
    HasAnswered,
    numbers_in,
    register_kind,
)

MIN_CHOICES, MAX_CHOICES = 2, 4
MAX_CHOICE_LENGTH = 50
MIN_SECONDS, MAX_SECONDS = 300, 2_629_746
"""The shortest and the longest duration, as in Mastodon: five minutes and a month."""


def is_over(details: Details) -> bool:
    return bool(details["ends_at"] <= timezone.now().timestamp())


@dataclass(frozen=True, slots=True)
class PollChoice:
    """A choice of a poll. ``votes`` is None while the results are hidden."""

    text: str
    votes: int | None
    percent: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class PollView:
    """A poll as its viewer sees it.

    Attributes:
        time_left: the time until the end in words, "" if the poll has ended.
        votes: the number of votes, more than ``voters`` if voters may choose several choices.
        is_imported: True if the results are from another site, which the reader should know.
        is_own: True if the viewer asked the question.
    """

    is_answer_final: ClassVar[bool] = True
    confirmation: ClassVar[Promise] = gettext_lazy("Your vote is counted.")
    repeat_refusal: ClassVar[Promise] = gettext_lazy("You have already voted on this poll.")
    change_refusal: ClassVar[Promise] = gettext_lazy(
        "This poll has ended or was changed. Load the page again."
    )

    choices: tuple[PollChoice, ...]
    is_multiple: bool
    hides_totals: bool
    ends_at: datetime
    time_left: str
    voters: int
    votes: int
    is_imported: bool
    is_own: bool
    has_viewer: bool

    @property
    def is_over(self) -> bool:
        return not self.time_left

    @property
    def shows_totals(self) -> bool:
        return self.is_over or not self.hides_totals

    @property
    def own_choices(self) -> tuple[int, ...]:
        """Return the numbers of the viewer's choices. Empty if the viewer has not voted."""
        return tuple(number for number, choice in enumerate(self.choices) if choice.is_own)

    @property
    def can_answer(self) -> bool:
        is_open = self.has_viewer and not self.is_own and not self.is_over
        return is_open and not self.own_choices

    def check_answer(self, choices: Collection[int]) -> Details:
        if self.is_own:
            raise CannotAnswer(_("You cannot vote in your own poll."))
        if self.own_choices:
            raise HasAnswered(str(self.repeat_refusal))
        if self.is_over:
            raise AnswersClosed(_("This poll has ended."))
        if not choices:
            raise CannotAnswer(_("Choose an answer, then vote."))
        if not all(0 <= number < len(self.choices) for number in choices):
            raise CannotAnswer(_("The chosen vote option does not exist."))
        has_several = len(set(choices)) > 1
        if has_several and not self.is_multiple:
            raise CannotAnswer(_("You can choose only one answer in this poll."))
        texts = [choice.text for choice in self.choices]
        # An edit may just have changed whether voters may choose several choices.
        return {"choices": texts, **({"is_multiple": True} if has_several else {})}


def _choice_field(number: int) -> forms.Field:
    return SingleLineField(
        label=gettext_lazy("Choice %(number)d") % {"number": number}
        if number <= MIN_CHOICES
        else gettext_lazy("Choice %(number)d (optional)") % {"number": number},
        max_length=MAX_CHOICE_LENGTH,
        required=number <= MIN_CHOICES,
    )


@register_kind
class Poll(Activity):
    DURATIONS = (
        (300, gettext_lazy("5 minutes")),
        (3600, gettext_lazy("1 hour")),
        (6 * 3600, gettext_lazy("6 hours")),
        (86_400, gettext_lazy("1 day")),
        (3 * 86_400, gettext_lazy("3 days")),
        (7 * 86_400, gettext_lazy("7 days")),
        (30 * 86_400, gettext_lazy("30 days")),
    )
    CHOICE_NAMES = tuple(f"choice_{n}" for n in range(1, MAX_CHOICES + 1))

    name = "poll"
    plural_label = gettext_lazy("Polls")
    singular_label = gettext_lazy("Poll")
    is_question = True
    is_editable = True
    takes_answers = True
    template = POST_BODY
    show_label = gettext_lazy("Show poll")
    addition_refusal = gettext_lazy("You cannot add a poll to a published post. Write a new post.")
    edit_help = gettext_lazy(
        "Changing the choices, or whether people can choose several, deletes all votes."
    )
    version_label = gettext_lazy("Choices:")
    versioned = ("choices",)
    fields = {
        **{name: _choice_field(number) for number, name in enumerate(CHOICE_NAMES, 1)},
        "duration": forms.TypedChoiceField(
            label=gettext_lazy("Duration"), choices=DURATIONS, coerce=int, initial=86_400
        ),
        "is_multiple": forms.BooleanField(
            label=gettext_lazy("Allow several choices"), required=False
        ),
        "hides_totals": forms.BooleanField(
            label=gettext_lazy("Hide results until the poll ends"), required=False
        ),
    }

    def clean_details(self, cleaned_data: dict[str, Any]) -> Details:
        choices = {name: cleaned_data[name] for name in self.CHOICE_NAMES if cleaned_data.get(name)}
        for name, text in choices.items():
            if list(choices.values()).index(text) != list(choices).index(name):
                raise forms.ValidationError({name: _("Two choices are the same.")})
        seconds = cleaned_data["duration"]  # None if an edit leaves the end unchanged
        return {
            "choices": list(choices.values()),
            "is_multiple": cleaned_data["is_multiple"],
            "hides_totals": cleaned_data["hides_totals"],
            "ends_at": None if seconds is None else int(timezone.now().timestamp()) + seconds,
            "counts": [0] * len(choices),
            "voters": 0,
            "is_end_pending": True,
        }

    def form_fields(self, values: Mapping[str, Any]) -> dict[str, forms.Field]:
        fields = super().form_fields(values)
        duration = values.get("duration")
        if isinstance(duration, int) and MIN_SECONDS <= duration <= MAX_SECONDS:
            # An app may have chosen a duration that pages do not offer.
            choices: dict[int, Any] = dict(self.DURATIONS)
            choices.setdefault(duration, format_duration(seconds=duration))
            field: Any = fields["duration"]
            field.choices = list(choices.items())
        return fields

    def field_values(self, details: Details) -> dict[str, Any]:
        return {
            **dict(zip(self.CHOICE_NAMES, details["choices"], strict=False)),
            "is_multiple": details["is_multiple"],
            "hides_totals": details["hides_totals"],
        }

    def edit_fields(self, details: Details) -> dict[str, forms.Field]:
        fields = super().edit_fields(details)
        seconds = details["ends_at"] - int(timezone.now().timestamp())
        if seconds > 0:
            duration: Any = fields["duration"]
            time_left = format_duration(seconds=seconds)
            unchanged = _("Unchanged: %(time)s left") % {"time": time_left}
            duration.choices = [("", unchanged), *self.DURATIONS]
            duration.required, duration.initial, duration.empty_value = False, "", None
        return fields

    def changed_details(self, *, old: Details, new: Details) -> Details:
        """Return the details of an edited poll.

        Other choices, or another number of choices per voter, begin a new poll without votes. Otherwise the
        votes stay. A poll that has ended then stays as it is.
        """
        if new["ends_at"] is None:
            new["ends_at"] = old["ends_at"]
        if any(old[name] != new[name] for name in ("choices", "is_multiple")):
            return new
        if is_over(old):
            return old
        return {**old, "hides_totals": new["hides_totals"], "ends_at": new["ends_at"]}

    def answer_card(
        self, details: Details, *, answer: int, is_own: bool, has_viewer: bool
    ) -> PollView:
        seconds = details["ends_at"] - int(timezone.now().timestamp())
        counts: Sequence[int] = details["counts"]
        is_visible, own_numbers = seconds <= 0 or not details["hides_totals"], numbers_in(answer)
        return PollView(
            choices=tuple(
                PollChoice(
                    text=text,
                    votes=count if is_visible else None,
                    # A voter with several choices counts for each, so the sum may exceed 100.
                    percent=round(100 * count / max(1, details["voters"])) if is_visible else 0,
                    is_own=number in own_numbers,
                )
                for number, (text, count) in enumerate(zip(details["choices"], counts, strict=True))
            ),
            is_multiple=details["is_multiple"],
            hides_totals=details["hides_totals"],
            ends_at=datetime.fromtimestamp(details["ends_at"], UTC),
            time_left="" if seconds <= 0 else str(format_duration(seconds=seconds)),
            voters=details["voters"],
            votes=sum(counts),
            is_imported=details.get("is_imported", False),
            is_own=is_own,
            has_viewer=has_viewer,
        )

    def public_details(self, details: Details, card: PollView) -> Details:
        return {}  # the counts may be hidden until the end

    def full_text(self, details: Details) -> str:
        return "\n".join(details["choices"])
