"""Mails of what people were told while they were away, or of a day or a week: when each is due
(``schedule``), what it says (``composing``, ``sentences``), with which ``links``, and that it is sent
(``sending``).
"""
