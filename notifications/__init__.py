"""Notifications on pages, in mails and on devices. No other app depends on this app."""
