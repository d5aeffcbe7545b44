"""Read private notes about other users from ``private_notes.csv``, and save those about local users.

The file may be long, so its rows are read one at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.core.exceptions import ValidationError

from accounts.forms import PlainTextField
from accounts.models import User
from accounts.services.user_notes import MAX_NOTE_LENGTH, add_notes
from feed import attributes

from .csv_rows import rows_of
from .source import Source

FILE = "private_notes.csv"
HEADERS = ("Account address", "Note")
MAX_NOTES = 20_000
HEARTBEAT_ROWS = 1_000

_TEXT = PlainTextField(max_length=MAX_NOTE_LENGTH)


@dataclass(frozen=True, slots=True)
class ArchivedNote:
    username: str
    text: str


def count_notes(*, source: Source, heartbeat: Callable[[], None]) -> tuple[int, int]:
    """Return the number of rows that ``read_notes`` yields, and the number of rows beyond ``MAX_NOTES``."""
    count = 0
    for count, _row in enumerate(_rows(source), 1):
        if count % HEARTBEAT_ROWS == 0:
            heartbeat()
    return min(count, MAX_NOTES), max(0, count - MAX_NOTES)


def read_notes(
    *, source: Source, local_username: Callable[[str], str | None]
) -> Iterator[ArchivedNote | None]:
    """Yield up to ``MAX_NOTES`` notes, None for each row that is left out.

    Left out are notes about users of other sites, and texts that the site does not accept. Raises
    BadArchive. ``local_username`` returns the username in a handle of this site, else None.
    """
    for row in islice(_rows(source), MAX_NOTES):
        username = local_username(row[0])
        try:
            text = _TEXT.clean(row[1]) if len(row) > 1 else ""
        except ValidationError:
            text = ""
        yield ArchivedNote(username, text) if username and text else None


def _rows(source: Source) -> Iterator[list[str]]:
    rows = rows_of(source=source, name=FILE, handle_column=0)
    return (row for row in rows if tuple(row) != HEADERS)


def import_notes(*, notes: Sequence[ArchivedNote | None], owner: User) -> Counter[str]:
    """Save these notes, unless the owner has a note about the same user. Safe to repeat."""
    texts_by_username = {note.username: note.text for note in notes if note is not None}
    uids = attributes.uids_by_username(usernames=list(texts_by_username))
    texts = {uid: texts_by_username[username] for username, uid in uids.items() if uid != owner.pk}
    count = add_notes(owner=owner.pk, texts=texts)
    return Counter(
        notes=count, existing_notes=len(texts) - count, skipped_notes=len(notes) - len(texts)
    )
