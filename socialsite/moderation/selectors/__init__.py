"""What moderators read: a case with all around it (``case_page``, ``content``), what there is to do
(``overview``), and who is meant (``names``)."""

from .case_page import CasePage, Choice, Done, action_page, case_page
from .content import READ_DIRECT, Content, Reported, may_read, reported
from .names import Named, Names, named
from .overview import Overview, overview

__all__ = [
    "READ_DIRECT",
    "CasePage",
    "Choice",
    "Content",
    "Done",
    "Named",
    "Names",
    "Overview",
    "Reported",
    "action_page",
    "case_page",
    "may_read",
    "named",
    "overview",
    "reported",
]
