"""Live updates of open pages and apps, served by the streams process (``socialsite.asgi``).

``hub`` watches the database with one change stream for all clients. Each client has a mailbox (``streams``)
in which the hub collects changes. ``page_events`` turns them into the events of one page; the API does the
same for apps. ``stream_requests`` opens streams and sends events to a client. Django code runs in
``threads``, because nothing may block the event loop.
"""
