"""The admin pages of moderators.

* ``cases`` and ``case_views``: the list of cases and the page of a case
* ``actions``: the list of actions, the page of an action, and the audit log
* ``appeals``: the list of appeals, and the command that decides an appeal
* ``model_admins`` and ``bulk_actions``: moderation from the lists of posts and users
* ``comments``: the newest comments of all users
* ``site_texts``: rules and announcements
* ``standard_pages``: the texts of the pages about, rules, privacy policy and terms of service
* ``brand``: the name and look of the site
* ``dashboard``: the first page of the admin
"""

from . import actions, appeals, brand, cases, model_admins, site_texts, standard_pages

__all__ = [
    "actions",
    "appeals",
    "brand",
    "cases",
    "model_admins",
    "site_texts",
    "standard_pages",
]
