"""Posts and the home timeline.

A post goes ``views.posts`` -> ``services.posts`` -> ``delivering`` (``tasks`` says when) ->
``strategies.buckets`` -> ``store.inboxes``; a page comes back ``store.inboxes`` ->
``strategies.buckets`` -> ``selectors.candidates`` and ``visible`` -> ``selectors.home_page`` ->
``views.timelines``.
"""
