"""Queries of posts, comments and timelines for pages and the API.

A page costs a constant number of database commands, whatever the page size and however many users the
viewer follows. ``visibility`` decides which posts a viewer may see. ``pages`` turns database rows into
objects such as ``PostView``, which templates and the API show.
"""
