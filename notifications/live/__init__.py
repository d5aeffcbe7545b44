"""Live updates of open pages and apps.

``hub`` watches the database once for all streams of a process. ``page_events`` writes what one page
gets.
"""
