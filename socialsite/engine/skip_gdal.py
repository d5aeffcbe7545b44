"""Import the backend without its search for GDAL, which this site does not use.

The backend searches three times for twelve library names, and each search runs other programs. The searches
took 0.7 of the 1.6 seconds that a process needs to start. During the import, this module replaces
``find_library`` by a function that finds nothing.
"""

import ctypes.util

_find_library = ctypes.util.find_library
ctypes.util.find_library = lambda name: None
try:
    import django_mongodb_backend.base  # noqa: F401
finally:
    ctypes.util.find_library = _find_library
