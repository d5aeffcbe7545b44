"""Gunicorn's settings. It reads this file by itself: ``gunicorn socialsite.wsgi --bind 127.0.0.1:8000``.

Options of the command line override these settings.

The master process loads the language model and large libraries before it forks, so all workers share this
memory, and no user waits until a worker has loaded the model. The master never imports the site itself. So
SIGHUP starts workers with new code, and each worker opens its own connections to the database. After an
update of packages, restart gunicorn instead.
"""

import gc
import importlib
import os
import shutil
import tempfile
from typing import Any

from py3langid import langid

worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 4
graceful_timeout = 5
control_socket_disable = True

LIBRARIES = (
    "PIL.Image",
    "celery.app.task",
    "cryptography.hazmat.primitives.asymmetric.ec",
    "django.core.handlers.wsgi",
    "django.db.models",
    "django.forms",
    "jinja2",
    "kombu.connection",
    "pymongo",
    "requests",
    "structlog",
)
"""Libraries that read no settings of Django. prometheus_client is not among them (see below)."""

for library in LIBRARIES:
    importlib.import_module(library)
if langid.IDENTIFIER is None:
    # ``feed.text.languages`` uses this model.
    langid.IDENTIFIER = langid.LanguageIdentifier.from_model_file(
        langid.MODEL_FILE, norm_probs=True
    )

# prometheus_client reads this variable when it is imported. Set it yourself to a folder that all processes
# of this machine share. Otherwise /metrics shows the sums of the web workers only.
if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="socialsite-metrics-")
    os.environ["_TEMPORARY_METRICS"] = str(os.getpid())
os.makedirs(os.environ["PROMETHEUS_MULTIPROC_DIR"], exist_ok=True)  # noqa: PTH103


def pre_fork(server: Any, worker: Any) -> None:
    """Exclude all objects of the master from garbage collections, which would copy their memory."""
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    """Exclude what a worker has loaded, too, and make collections rare. They delay all of its requests.

    By default, Python collects after 700 new objects, several times while it renders a page. It would soon
    treat the objects of that page as long-lived. Under load, each worker then spent 0.15 seconds every 15
    seconds examining all long-lived objects.
    """
    gc.freeze()
    gc.set_threshold(10_000)


def child_exit(server: Any, worker: Any) -> None:
    """Delete the gauges of a worker that has ended, but keep its counts."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Delete the temporary folder, unless SIGUSR2 has started a new master that uses it."""
    if os.environ.get("_TEMPORARY_METRICS") == str(os.getpid()) and not server.reexec_pid:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
