"""Reads about users.

* ``profiles``: find a user by name, and the data of a profile page.
* ``follow_graph``: who follows whom. ``relationships``: everything between a viewer and other users.
* ``user_pages``: lists for pages. They contain cards, never model instances. ``user_descriptions``: names,
  bios and counts for lists.
* ``user_search``, ``suggestions``, ``familiar_followers``: users to find and follow.
* ``email_addresses``, ``sessions``, ``apps``, ``invitations``: what belongs to one account.
* ``blocklists``: mail addresses, names and networks that are not accepted.
"""
