"""The WSGI application: ``gunicorn socialsite.wsgi``.

Do not use ``--preload``: database clients must connect after the fork, and SIGHUP would not load new code.
``gunicorn.conf.py`` loads what can be shared before the fork.
"""

import os

from django.core.wsgi import get_wsgi_application

from socialsite.request_bodies import TextRequest, buffer_chunked_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

handler = get_wsgi_application()
handler.request_class = TextRequest
application = buffer_chunked_bodies(handler)
