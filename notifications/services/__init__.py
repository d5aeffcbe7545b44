"""What becomes of notifications: people are told (``telling``) of what happens (``events``) or not any more
(``withdrawing``), and say what they have read, do not want to see (``reading``), or to hear (``choosing``).

Each function is one write for each thousand readers, and may be done twice.
"""
