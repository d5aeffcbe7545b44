"""Write the usernames and sessions of a seeded site: ``python -m tests.load.sessions FOLDER COUNT``.

usernames.json   usernames of the people who log in by themselves
sessions.json    COUNT session keys for idle streams, several of a user if needed
"""

import json
import sys
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path

import django

# Django models can be imported only after ``setup``, so the imports below ignore E402.
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.sessions.models import Session  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import User  # noqa: E402
from accounts.session_store import SessionStore  # noqa: E402

ACTIVE = 1000
"""The first users log in by themselves. The sessions belong to the others."""

BACKEND = settings.AUTHENTICATION_BACKENDS[0]
BATCH = 1000


def main(folder: Path, count: int) -> None:
    users = list(User.objects.filter(is_staff=False).order_by("pk"))
    active = min(ACTIVE, len(users) // 2)
    names = [user.username for user in users[:active]]
    (folder / "usernames.json").write_text(json.dumps(names))
    sessions = [new_session(user) for user in islice(cycle(users[active:]), count)]
    for start in range(0, count, BATCH):
        Session.objects.bulk_create(sessions[start : start + BATCH])
    (folder / "sessions.json").write_text(json.dumps([row.session_key for row in sessions]))


def new_session(user: User) -> Session:
    """Return the row of a new session, not saved."""
    store = SessionStore()
    data = {
        "_auth_user_id": str(user.pk),
        "_auth_user_backend": BACKEND,
        "_auth_user_hash": user.get_session_auth_hash(),
    }
    expire_date = timezone.now() + timedelta(days=1)
    return Session(
        session_key=store._get_new_session_key(),
        session_data=store.encode(data),
        expire_date=expire_date,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
