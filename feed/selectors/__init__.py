"""What there is to read: the ``home`` timeline, the ``quiet`` view of it, other ``lists`` of posts, what
people keep and like (``writings``), what is ``pinned``, ``people_lists``, and single posts with their
``history``, ``comments`` (all of them: ``conversation``) and ``reactions``; which ``tags`` there are and
which posts trend (``trending_posts``); and what looks ``suspicious``.

A page costs a constant number of database commands, whatever its size and however many people one
follows. ``visible`` decides who sees what; ``pages`` turns rows into what templates see.
"""
