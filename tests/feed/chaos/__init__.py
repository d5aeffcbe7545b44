"""Kill workers and database servers of a site at random moments while an author publishes.

``replica_set`` is the database, ``worker`` and ``site`` are the processes. ``tests.feed.test_failover``
starts and kills them.
"""
