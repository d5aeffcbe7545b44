"""The admin as a place of work: ``cases`` and what is done about them (``case_views``), the ``log`` of it,
``appeals``, ``words`` to everybody, posts and people with what moderators can do there (``content``,
``bulk``), ``comments``, and the first page (``dashboard``).
"""

from . import actions, appeals, cases, model_admins, site_texts

__all__ = ["actions", "appeals", "cases", "model_admins", "site_texts"]
