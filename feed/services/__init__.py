"""What people can do: publish, edit and delete ``posts`` with their ``pictures``, share (``shares``) and
like (``likes``) them, talk about them (``comments``), keep them (``keeping``), follow ``tags``, choose what
to read (``filters``, ``people_lists``), and say how far they have read (``positions``).

Each function is one write and one announcement after it, and may be done twice.
"""
