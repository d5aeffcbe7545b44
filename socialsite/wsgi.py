"""The entry for gunicorn: ``gunicorn socialsite.wsgi``. Do not preload: clients connect after fork."""

import os
import signal
import threading
from typing import Any

from django.core.wsgi import get_wsgi_application

from socialsite.request_bodies import buffer_chunked_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

application = buffer_chunked_bodies(get_wsgi_application())


def _end_streams_when_stopped() -> None:
    """Open streams would keep a process that is to stop until the server has lost its patience."""
    from notifications.live.hub import get_hub

    before: Any = signal.getsignal(signal.SIGTERM)
    if not callable(before):
        return

    def stop(number: int, frame: Any) -> None:
        get_hub().request_shutdown()
        before(number, frame)

    signal.signal(signal.SIGTERM, stop)


if threading.current_thread() is threading.main_thread():
    _end_streams_when_stopped()
