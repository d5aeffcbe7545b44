"""A simulation of the costs of each timeline design on a sharded cluster.

* ``workload``: generated users, posts and page views
* ``placement``: the shard of a document, with the hash function of the server
* ``read_designs``, ``write_designs``, ``bucket_designs``: the commands that each design sends
* ``simulation``: replays the workload and counts the commands
* ``report``: the results as tables

``python -m tests.bench.sharding`` runs it. The keys of the site are in ``socialsite.shard_keys``.
"""
