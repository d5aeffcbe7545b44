"""Services that change notifications.

* ``notifiers``, ``delivery``: notify users of events. ``boxes``: mark and dismiss notifications.
* ``preferences``: save preferences.

All functions are safe to repeat. A delivery runs one write per thousand recipients.
"""
