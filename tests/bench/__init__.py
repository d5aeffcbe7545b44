"""Measures what every design costs: ``manage.py feed_bench``. What the figures mean: ``run``.

``throwaway`` lends a database that is nobody's, ``workload`` says who reads and what is published, and
``sizes`` how much. ``strategic`` brings the site's own strategies into the state of a busy site; ``rivals``
and ``one_each`` are other designs to compare with.

The stages: ``speed``; ``audience`` (growing audiences); ``pages`` (on the people and posts of ``site``);
``volume`` (growing data, its ``disk``, and ``cold`` caches); ``graph`` (``graphs``, ``continuation``);
``moderating`` (lists in the admin); ``calls`` (JSON for apps, from the web server in ``served``).
``run`` runs them, ``own_server`` some of them on a server of their own. For the eye: ``tables`` with
``promises``, shown by ``report`` and ``markdown``, and ``plots`` made of ``charts``.
"""
