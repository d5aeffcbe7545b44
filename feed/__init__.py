"""Posts and the home timeline.

To publish a post, a request runs ``views.posts`` and then ``services.posts``. A task in ``tasks`` delivers
the post through ``timeline.delivery``, the strategy in ``timeline.strategies``, and ``timeline.store``. A
page of the home timeline runs ``views.timelines``, ``timeline.home``, the strategy, and
``selectors.visibility``.
"""
