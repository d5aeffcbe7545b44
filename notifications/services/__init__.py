"""Writes: notify users of events (``notifiers``, ``delivery``), withdraw notifications
(``withdrawals``), mark and dismiss them (``boxes``), and save preferences (``preferences``).

All functions are safe to repeat. A delivery runs one write per thousand recipients.
"""
