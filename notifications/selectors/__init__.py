"""Selectors that read notifications.

* ``pages``: the notifications page and its history. ``flat_pages``: ungrouped notifications for apps.
* ``notification_views``: notifications grouped into sentences.
* ``read_state``: badges and markers.
"""
