"""The content of the demo: users, follows and posts, generated from a seed and reproducible.

``plan`` generates the demo in memory. ``docs/demo.md`` lists the modules.
``builder`` writes the demo to the database, and ``insights`` adds events for the charts. All steps are safe
to repeat.
"""
