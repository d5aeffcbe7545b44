"""Archives: export everything a user has as a zip of ActivityStreams and pictures, and import one.

The format follows Mastodon's archive. Views call ``services``, which enqueues ``tasks``. ``jobs`` stores
the progress of an archive, so a killed worker can be replaced at any moment.

Export: ``exporter`` writes the zip, with posts from ``outbox``, single posts from ``notes``, lists of
people from ``tables`` and settings from ``preferences``.

Import: ``importer`` reads the zip through ``source`` (limits), ``contents`` (all checks) and ``drafts``
(one post, with ``html_text``), and ``placement`` chooses the ids of the posts.

Both use ``json_lists`` (long lists), ``site_urls`` and ``extension`` (our own key in a note).
"""
