"""The database engine: django-mongodb-backend with workarounds for its faults.

Each workaround has a regression test in ``tests/socialsite/test_engine.py``, which also shows that the
fault exists without the workaround. After an upgrade of the backend, run these tests first and delete
workarounds that are no longer needed.
"""

import ctypes.util

# Import the backend without its search for GDAL, which this site does not use. The backend searches three
# times for twelve library names, and each search runs other programs. The searches took 0.7 of the 1.6
# seconds that a process needs to start.
_find_library = ctypes.util.find_library
ctypes.util.find_library = lambda name: None
try:
    import django_mongodb_backend.base  # noqa: F401
finally:
    ctypes.util.find_library = _find_library
