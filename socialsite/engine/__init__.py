"""The database engine: django-mongodb-backend with the cures for four of its faults.

Each cure is one class or module of this package and one regression test in
``tests/socialsite/test_engine.py``, which also shows that the fault is still there without it. On an
upgrade of the backend run those tests first: a fault that is gone takes its cure with it.
"""

from . import skip_gdal  # noqa: F401 - before any other module imports the backend

PATCHED_BACKEND_VERSION = "5.2.4"
"""The release of django-mongodb-backend whose faults were measured."""
