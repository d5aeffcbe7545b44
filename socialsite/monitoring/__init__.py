"""Monitoring: health checks, heartbeats, metrics and error reports (``docs/operations.md``).

* ``readiness``: the checks behind ``/health/ready``. ``site_checks``: the further checks of
  ``manage.py check_site``.
* ``heartbeats``: shows that beat and the workers do their work.
* ``views``: the URLs, and the middleware that answers them before any other middleware.
* ``exposition``: the text of ``/metrics``. ``accounts.infra.metrics`` defines the metrics.
* ``failures``: counts errors and sends them to a service, without personal data.
"""
