"""Spares every start of a process the backend's search for libraries of maps, which this site has not.

The backend looks for GDAL three times, by twelve names each, and each time other programs are run to ask
for it: that was 0.7 of the 1.6 seconds that a start took. Here nothing is found, and at once.
"""

import ctypes.util

_search = ctypes.util.find_library
ctypes.util.find_library = lambda name: None
try:
    import django_mongodb_backend.base  # noqa: F401
finally:
    ctypes.util.find_library = _search
