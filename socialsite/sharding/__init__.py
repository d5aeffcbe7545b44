"""What each way to bring posts to readers costs a sharded cluster: ``manage.py shard_plan``.

Needs no database. ``workload`` makes people, posts and page views; ``placing`` says which shard holds a
document under the keys of ``store.sharding``, where ``hashing`` is the server's own. The designs, in
``on_read``, ``on_write`` and ``bucketed``, tell the commands they would send; ``replay`` counts them, and
``report`` is for the eye.
"""
