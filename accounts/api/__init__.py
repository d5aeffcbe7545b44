"""The JSON API, in the form of Mastodon's (https://docs.joinmastodon.org/api/): what all of it shares.

An ``endpoint`` is a function of a request that says what it takes, returns and who may call it; a ``route``
puts those of one address together. ``pages`` links lists, ``errors`` answers what goes wrong, ``openapi``
describes all of it. The endpoints themselves are in each app's ``api`` package, with their addresses in
its ``urls``.
"""
