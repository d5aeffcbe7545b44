"""Random histories of a small site, compared with what every reader should see.

``oracle`` says in plain Python who sees what; ``site`` does the same things to the real site, with buckets
so small that a few posts fill them; ``machine`` lets hypothesis choose what happens; ``mutations`` are
mistakes that the comparison must find.
"""
