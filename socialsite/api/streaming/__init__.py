"""Streams for apps: server-sent events and WebSockets in Mastodon's format
(https://docs.joinmastodon.org/methods/streaming/).

``channels`` decides which posts belong to which stream, ``app_events`` writes the events of one
app, ``endpoints`` opens streams, ``sockets`` serves WebSockets. ``notifications.live`` watches the database
with one change stream for all clients.
"""
