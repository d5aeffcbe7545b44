"""Users and their relationships. This app does not depend on posts.

Start with ``models`` (users), ``services`` (what users can do), ``store`` (the follow graph) and
``user_cards`` (names and avatars by uid).
"""
