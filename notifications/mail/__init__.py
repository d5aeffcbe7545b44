"""Notification mails: when each is due (``schedule``), what it contains (``message``,
``sentence``), its ``links``, and sending (``sender``)."""
