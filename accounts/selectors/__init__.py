"""Selectors that read users and their relationships.

* ``profiles``: find a user by name, and the data of a profile page.
* ``follow_graph``: who follows whom. ``relationships``: everything between a viewer and other users.
* ``user_pages``: lists for pages. They contain cards, never model instances.
* ``user_search``, ``suggestions``, ``familiar_followers``: users whom the viewer may want to follow.
* ``account_data``: apps, sessions, email addresses and invitations of one account. ``access_tokens``: the
  account of an API request.
* ``user_names``: names for moderators, also of inactive users.
* ``blocklists``: email addresses, names and networks that the site does not accept.
"""
