"""Posts and the home timeline.

A post goes ``views.publish`` -> ``services.publish_post`` -> ``tasks.deliver_post`` ->
``strategies.buckets`` -> ``store.inboxes``; a page comes back ``store.inboxes`` ->
``strategies.buckets`` -> ``selectors.home_page`` -> ``views.home``.
"""
