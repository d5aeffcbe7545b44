"""Functions that change moderation data.

* ``reports``, ``cases``, ``actions`` and ``appeals`` record their changes in the ``audit_log``.
* ``cleanup`` contains periodic jobs, and removes a user from all moderation data.
"""
