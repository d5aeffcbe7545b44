"""The JSON API, compatible with Mastodon (https://docs.joinmastodon.org/api/).

Only this package knows the words of that API. Its endpoints call the same services and selectors as the
pages, one module for each group of endpoints. Where to look next:

- ``urls``: all URLs. ``plumbing``: what endpoints are made of, from authentication to the schema.
- ``serializers``: the JSON of posts, people and notifications, made from the results of selectors.
- ``streaming``: server-sent events and WebSockets. ``admin``: what moderators and administrators call.
"""
