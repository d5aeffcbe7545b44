"""Notification mails: due times (``schedule``), content (``message``, ``sentence``) and
sending (``sender``).
"""
