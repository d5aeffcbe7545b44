"""Queries of posts, comments and timelines for pages and the API.

A page of posts has three steps: a reader finds rows (``post_pages`` reads lists, ``feed.timeline`` homes),
``visible_posts`` keeps what the viewer may read by the rules in ``visibility``, and ``shown_posts`` makes
the ``PostView`` of templates and apps. A page costs a constant number of database commands, whatever its
size and however many users the viewer follows.
"""
