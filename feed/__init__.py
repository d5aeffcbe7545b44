"""Posts and the home timeline.

A request to publish a post runs ``views.posts``, ``services.posts``, ``timeline.delivery`` (in
``tasks``), the strategy in ``timeline.strategies``, and ``timeline.store``. A page of the home timeline
runs ``views.timelines``, ``timeline.home``, the strategy, and ``selectors.visibility``.
"""
