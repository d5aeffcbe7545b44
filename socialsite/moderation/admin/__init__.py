"""The admin pages of moderators.

* ``cases`` and ``case_views``: the list of cases and the page of a case
* ``actions`` and ``appeals``: lists and decisions, and the audit log
* ``model_admins`` and ``bulk_actions``: moderation from the lists of posts and users
* ``comments``: the newest comments of all users
* ``site_texts``: rules and announcements
* ``dashboard``: the first page
"""

from . import actions, appeals, cases, model_admins, site_texts

__all__ = ["actions", "appeals", "cases", "model_admins", "site_texts"]
