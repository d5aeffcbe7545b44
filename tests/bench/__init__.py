"""The benchmark measures the cost of every design (``python -m tests.bench``, or ``make bench``).

* Set-up: ``database`` creates a temporary database, ``workload`` generates users and activities, ``sizes``
  sets the amounts, ``site_data`` creates users and posts.
* Designs: ``strategy_designs`` are the strategies of the site, with inboxes as on a busy site.
  ``bucket_rivals`` and ``entry_rivals`` are alternatives to these strategies. ``follow_designs``,
  ``continuation`` and ``minute_designs`` each belong to one stage.
* Stages: ``speed``, ``audience``, ``timelines``, ``volume`` (with ``disk`` and ``cold``), ``follows``
  (stage ``graph``), ``moderator_lists`` (stage ``admin``), ``minutes`` and ``pages`` (with
  ``publication``, ``http_calls`` and ``wsgi``).
* ``stages`` runs the stages and describes the figures. ``own_server`` runs some on a separate server.
* Output: ``output`` prints ``tables`` and ``targets``. ``charts`` draws ``plots``.
"""
