"""Blocklists and invitations.

``normalization`` converts rules to the form in which the database stores and compares them. The checks are
in ``accounts.selectors.blocklists``.
"""
