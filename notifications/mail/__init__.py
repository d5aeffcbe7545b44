"""Notification mails: due times (``schedule``), content (``message``, ``sentence``, ``links``) and
sending (``sender``).
"""
