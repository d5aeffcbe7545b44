"""Kill workers and database servers of a site at random moments while an author publishes.

- ``replica_set`` runs the database servers.
- ``site`` publishes posts.
- ``worker`` delivers posts.

``tests.feed.test_failover`` starts and kills these processes.
"""
