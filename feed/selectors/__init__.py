"""Queries of posts, comments and timelines for pages and the API.

A page costs a constant number of database commands, whatever its size and however many users the viewer
follows. ``visibility`` decides which posts a viewer may see. ``pages`` turns rows into the views that
templates show.
"""
