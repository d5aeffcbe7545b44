"""Blocklists and invitations.

``normalization`` brings rules into the form in which they are stored and compared. The checks are in
``accounts.selectors.blocklists``.
"""
