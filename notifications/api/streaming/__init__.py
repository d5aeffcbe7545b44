"""What happens, as it happens, for apps: server-sent events in the form of Mastodon's
(https://docs.joinmastodon.org/methods/streaming/).

``channels`` say which posts belong to which stream; ``events`` is what one app gets; ``endpoints`` open
streams. That something has happened is heard once for all streams of a process (``notifications.live``).
"""
