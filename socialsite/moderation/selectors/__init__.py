"""Functions that read moderation data.

* ``case_page`` and ``reported_content``: a case with its context
* ``overview``: the dashboard
* ``users``: users, actions and reports for the API
* ``site``: public counts of the site and its standard pages
"""
