"""``make load``: people and apps use the site on one machine while its processes are measured.

- ``__main__`` starts the processes of ``site``, measures them (``samples``) and writes the ``report``.
- ``people``, ``apps`` and ``visitors`` are the clients. locust runs them in a process of its own
  (``scenario``), and ``record`` writes their requests and acknowledged writes to files.
- ``pace`` decides how active people are, and raises their rate in the second phase.
- ``faults`` kills processes. ``verify`` looks for every acknowledged write afterwards.
- ``idle_streams`` holds many streams open, with sessions made by ``sessions``.
"""
