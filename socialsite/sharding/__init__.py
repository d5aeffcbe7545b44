"""Shard keys, and a simulation of the costs of each timeline design on a sharded cluster.

* ``keys``: the shard keys of the site
* ``workload``: generated users, posts and page views
* ``placement``: the shard of a document, with the hash function of the server
* ``read_designs``, ``write_designs``, ``bucket_designs``: the commands that each design sends
* ``simulation``: replays the workload and counts the commands
* ``report``: the results as tables

``manage.py shard_plan`` runs the simulation without a database.
"""
