"""Writes of moderation: ``reports``, ``cases``, ``actions``, ``appeals``, and the periodic ``cleanup``.

All of them record events in the ``audit_log``.
"""
