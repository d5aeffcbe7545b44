"""Random histories of a small site, compared with a model of the home timeline.

``oracle`` is the model in plain Python. ``site`` applies the same actions to the real site, with
buckets so small that a few posts fill them. ``machine`` lets hypothesis choose the actions.
``mutations`` are bugs that the comparison must find.
"""
