"""Posts and the home timeline.

A post goes ``post_views.publish`` -> ``services.publish_post`` -> ``delivering`` (``tasks`` says when) ->
``strategies.buckets`` -> ``store.inboxes``; a page comes back ``store.inboxes`` ->
``strategies.buckets`` -> ``selectors.candidates`` and ``visible`` -> ``selectors.home_page`` ->
``views.home``.
"""
