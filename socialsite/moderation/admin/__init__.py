"""The admin pages of moderators.

* ``cases``: the list of cases and the page of a case
* ``actions``: the lists of actions and appeals, their commands, and the audit log
* ``model_admins`` and ``bulk_actions``: moderation from the lists of posts and users
* ``comments``: the newest comments of all users
* ``site_texts``: rules, announcements, the texts of the standard pages, and the brand
* ``dashboard``: the first page of the admin
"""

from . import actions, cases, model_admins, site_texts

__all__ = ["actions", "cases", "model_admins", "site_texts"]
