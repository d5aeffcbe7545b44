"""The access token of an API request, with its user.

Apps send several requests at once, so each process caches what it has read for ``CACHE_SECONDS``. The cache
holds documents, and every request gets objects of its own. ``accounts.receivers`` clears the cache when a
token or a user changes. So another process may accept a revoked token for another second, but only to read.
"""

import hashlib

from django.utils.translation import gettext_lazy as _

from accounts.infra.process_cache import ProcessCache
from accounts.infra.store.connection import Document
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.store import users

CACHE_SECONDS = 1.0
INVALID_TOKEN = _("The access token is invalid")

_cache = ProcessCache[str, tuple[Document, Document | None]](name="access tokens")


def find_access_token(*, token: str, is_fresh: bool) -> AccessToken | None:
    """Return the token if it is valid, or None. Its user is loaded. At most one command.

    Args:
        is_fresh: True to read the database, False to accept what was read in the last ``CACHE_SECONDS``.
    """
    checksum = hashlib.sha256(token.encode()).hexdigest()
    documents = None if is_fresh else _cache.get([checksum]).get(checksum)
    if documents is None:
        version = _cache.version()
        documents = users.find_access_token(checksum=checksum)
        if documents is None:
            return None
        _cache.put({checksum: documents}, version=version, seconds=CACHE_SECONDS)
    document, user = documents
    access_token = users.instance_of(AccessToken, document)
    if not access_token.is_valid():
        return None
    if user is not None:
        access_token.user = users.instance_of(User, user)
    return access_token


def clear_cache() -> None:
    """Drop everything that this process has cached."""
    _cache.clear()
