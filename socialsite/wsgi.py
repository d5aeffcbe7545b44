"""The entry for gunicorn: ``gunicorn socialsite.wsgi``. Do not preload: clients connect after fork."""

import os
import signal
import threading
from typing import Any

from django.core.wsgi import get_wsgi_application

from socialsite.chunked import with_length

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

application = with_length(get_wsgi_application())


def _end_streams_when_stopped() -> None:
    """Open streams would keep a process that is to stop until the server has lost its patience."""
    from notifications.live.hub import hub

    before: Any = signal.getsignal(signal.SIGTERM)
    if not callable(before):
        return

    def stop(number: int, frame: Any) -> None:
        hub().leave()
        before(number, frame)

    signal.signal(signal.SIGTERM, stop)


if threading.current_thread() is threading.main_thread():
    _end_streams_when_stopped()
