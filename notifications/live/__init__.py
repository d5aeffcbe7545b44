"""Live updates of open pages and apps.

``hub`` watches the database with one change stream for all clients of a process. ``page_stream`` and
``app_stream`` collect changes for one client. ``page_events`` writes the events of one page.
"""
