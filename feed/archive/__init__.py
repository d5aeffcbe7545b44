"""Archives: everything somebody has, as a zip of ActivityStreams and pictures, and the way back in.

The shape is that of Mastodon's archive. ``packing`` writes one (``outbox`` its posts, ``notes`` a single
post, ``tables`` the lists of people, ``preferences`` what they have chosen). ``opening``, ``reading``,
``listed`` and ``checking`` judge one that somebody sends, ``bringing`` brings in what is good (``placing``:
under which ids). Both need ``jsons`` (long lists), ``words`` (HTML), ``addresses`` and ``extension`` (what
is ours). Workers do it (``tasks``); how far they are stands in a record (``records``), so that they may be
killed anywhere.
"""
