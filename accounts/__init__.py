"""People and whom they follow. This app knows nothing of posts.

Start with ``models`` (who a person is), ``services`` (what they can do), ``store`` (the follow graph)
and ``user_cards`` (the one road from a uid to a name and a face).
"""
