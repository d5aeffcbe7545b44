"""The audit log names every event in words."""

import re

import pytest

from socialsite.local.processes import ROOT
from socialsite.moderation.action_kinds import action_kinds_for
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.selectors.audit_labels import LABELS, event_label

SERVICES = ROOT / "socialsite" / "moderation" / "services"
KINDS = {kind.name for subject in SubjectKind for kind in action_kinds_for(subject_kind=subject)}


def test_every_event_that_a_service_records_has_a_label():
    source = "".join(path.read_text() for path in SERVICES.glob("*.py"))
    names = set(re.findall(r'event="([a-z_:]+)"', source))
    assert names <= LABELS.keys()
    assert len(names) > 5


@pytest.mark.parametrize(
    "verb",
    [
        *KINDS,
        *(f"undo:{kind}" for kind in KINDS),
        *(f"opened:{source}" for source in Case.Source.values),
        *(f"closed:{outcome}" for outcome in Case.Outcome.values),
    ],
)
def test_composed_events_have_a_label(verb):
    assert event_label(verb=verb) != verb


@pytest.mark.parametrize("verb", ["", "unknown", "opened:unknown", "undo:unknown", "a:b:c"])
def test_unknown_events_are_shown_as_they_are_stored(verb):
    assert event_label(verb=verb) == verb
