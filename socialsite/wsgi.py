"""The WSGI application: ``gunicorn socialsite.wsgi``.

Do not use ``--preload``: database clients must connect after the fork, and SIGHUP would not load new code.
``gunicorn.conf.py`` loads what can be shared before the fork.
"""

import os
import signal
import threading
from typing import Any

from django.core.wsgi import get_wsgi_application

from socialsite.request_bodies import buffer_chunked_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

application = buffer_chunked_bodies(get_wsgi_application())


def _close_streams_on_sigterm() -> None:
    """Close open streams on SIGTERM, because they would block the shutdown until its timeout."""
    from notifications.live.hub import get_hub

    previous_handler: Any = signal.getsignal(signal.SIGTERM)
    if not callable(previous_handler):
        return

    def shut_down(signal_number: int, frame: Any) -> None:
        get_hub().request_shutdown()
        previous_handler(signal_number, frame)

    signal.signal(signal.SIGTERM, shut_down)


if threading.current_thread() is threading.main_thread():
    _close_streams_on_sigterm()
