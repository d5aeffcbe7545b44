"""Writes: notify users of events (``notifiers``, ``delivery``), withdraw notifications
(``withdrawals``), mark and dismiss them (``boxes``), and save preferences (``preferences``).

Each function is one write per thousand recipients and is safe to repeat.
"""
