"""Django's sessions in the database, read with one PyMongo query (``settings.SESSION_ENGINE``)."""

from typing import Any

from django.contrib.sessions.backends import db
from django.utils import timezone

from .store import users


class SessionStore(db.SessionStore):
    document_id: Any = None
    """The id of the stored document, which names the session in a change stream."""

    def _get_session_from_db(self) -> Any:
        document = users.find_session(key=self.session_key or "", now=timezone.now())
        if document is None:
            self._session_key = None
            return None
        self.document_id = document["_id"]
        return self.model(
            session_key=document["session_key"],
            session_data=document["session_data"],
            expire_date=document["expire_date"],
        )
