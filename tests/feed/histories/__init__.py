"""Random histories of a small site, compared with a model of the home timeline.

- ``oracle`` is the model in plain Python.
- ``site`` applies the same actions to the real site, with buckets for a few posts only.
- ``machine`` lets hypothesis choose the actions.
- ``mutations`` are bugs that the comparison must find.
"""
