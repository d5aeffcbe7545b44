"""Reads: the notifications page and its history (``pages``), notifications grouped into sentences
(``notification_views``) or ungrouped for apps (``flat_pages``), badges and markers (``read_state``).
"""
