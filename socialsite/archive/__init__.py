"""Archives: export all data of a user to a zip, and import such a zip.

The format follows Mastodon's archive: JSON objects of ActivityStreams (``notes``), and pictures. Views call
``services``, which enqueues ``tasks``. ``jobs`` stores the progress of an archive, so that another worker
can continue if a worker dies.

Export: ``exporter`` writes the zip. ``outbox`` reads the user's posts, ``notes`` formats a single post,
``tables`` writes lists of users and the settings.

Import: ``importer`` writes to the site. ``source`` opens the zip and checks limits, ``contents`` reads and
checks all files, ``drafts`` parses a single post (with ``html_text``), and ``placement`` chooses the ids of
posts and finds quoted posts.

Exports and imports use ``list_files`` (long lists), ``site_urls`` and ``note_parts`` (polls, files, and the
site's own key in a note).
"""
