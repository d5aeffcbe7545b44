"""The database engine: django-mongodb-backend with workarounds for its faults.

Each workaround is a class or module of this package with a regression test in
``tests/socialsite/test_engine.py``. Each test also shows that the fault exists without the workaround.
After an upgrade of the backend, run these tests first and delete workarounds that are no longer needed.
"""

from . import skip_gdal  # noqa: F401 - before any other module imports the backend

PATCHED_BACKEND_VERSION = "5.2.4"
"""The release of django-mongodb-backend that has these faults."""
