"""The demo's people, what they write, and whom they follow: all from a seed, the same every time.

``people`` -> ``graph`` -> ``writing`` (with ``texts``) and ``moments`` make a plan in memory; ``plan``
puts it together and ``building`` writes it to the database in steps that can be repeated.
"""
