"""A site whose workers and database are killed at random moments while somebody publishes.

``replica_set`` is its database, ``worker`` and ``site`` are its processes; ``tests.feed.test_failover``
starts and kills them.
"""
