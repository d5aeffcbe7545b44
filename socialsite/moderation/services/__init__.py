"""Writes of moderation: ``reports``, ``cases``, ``actions``, ``appeals``, and the periodic ``cleanup``.

All these modules record events in the ``audit_log``.
"""
