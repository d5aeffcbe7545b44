"""The benchmark: it measures the cost of every design (``python -m tests.bench``, or ``make bench``).

* Set-up: ``database`` creates a temporary database, ``workload`` generates users and activities, ``sizes``
  sets the amounts, ``site_data`` creates users and posts.
* Designs: ``strategy_designs`` are the strategies of the site, filled like those of a busy site.
  ``bucket_rivals`` and ``entry_rivals`` are alternatives. ``follow_designs``, ``continuation`` and
  ``minute_designs`` belong to single stages.
* Stages: ``speed``, ``audience``, ``pages``, ``volume`` (with ``disk`` and ``cold``), ``follows`` (stage
  ``graph``), ``moderator_lists`` (stage ``admin``), ``minutes`` and ``api_calls`` (stage ``api``, with
  ``wsgi``).
* ``stages`` runs them and describes the figures. ``own_server`` runs some on a separate server.
* Output: ``tables`` and ``targets``, printed by ``output``, and ``plots``, drawn by ``charts``.
"""
