"""Reads: the notifications page and its history (``pages``), grouped into sentences
(``notification_views``), ungrouped for apps (``ungrouped``), badges and markers
(``read_state``)."""
