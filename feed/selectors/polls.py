"""Polls as their viewers see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from accounts.infra.rate_limits import format_duration
from feed.store.polls import numbers_in


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
    def can_vote(self) -> bool:
        is_open = self.has_viewer and not self.is_own and not self.is_over
        return is_open and not self.own_choices


def poll_view(*, details: dict[str, Any], is_own: bool, has_viewer: bool, vote: int) -> PollView:
    """Return the view of a poll. ``vote``: the viewer's choices as a bit mask (``store.polls``)."""
    seconds = details["ends_at"] - int(timezone.now().timestamp())
    is_over = seconds <= 0
    counts: Sequence[int] = details["counts"]
    is_visible, own_numbers = is_over or not details["hides_totals"], numbers_in(mask=vote)
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
        time_left="" if is_over else str(format_duration(seconds=seconds)),
        voters=details["voters"],
        votes=sum(counts),
        is_imported=details.get("is_imported", False),
        is_own=is_own,
        has_viewer=has_viewer,
    )
