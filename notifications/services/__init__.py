"""Services that change notifications.

* ``notifiers``, ``delivery``: notify users of events. ``withdrawals``: withdraw notifications.
* ``boxes``: mark and dismiss notifications. ``preferences``: save preferences. ``devices``: save devices.

All functions are safe to repeat. A delivery runs one write per thousand recipients.
"""
