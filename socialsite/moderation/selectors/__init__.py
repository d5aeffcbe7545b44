"""What moderators read: a case with all around it (``case_page``, ``content``), what there is to do
(``overview``), who is meant (``names``), ``people`` for programs; and what everybody may know of the
``site``."""

from .case_page import CasePage, Choice, Done, action_page, case_page
from .content import READ_DIRECT, Content, Reported, may_read, reported
from .names import Named, Names, named
from .overview import Overview, closed_cases_by_day, overview
from .people import (
    ModeratedPerson,
    action_in_force,
    first_reports,
    has_actions,
    moderated_people,
    people_matching,
)
from .site import site_counts

__all__ = [
    "READ_DIRECT",
    "CasePage",
    "Choice",
    "Content",
    "Done",
    "ModeratedPerson",
    "Named",
    "Names",
    "Overview",
    "Reported",
    "action_in_force",
    "action_page",
    "case_page",
    "closed_cases_by_day",
    "first_reports",
    "has_actions",
    "may_read",
    "moderated_people",
    "named",
    "overview",
    "people_matching",
    "reported",
    "site_counts",
]
