"""Write private notes about other users. Only their author sees them."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.store import user_notes

MAX_NOTE_LENGTH = 2000


def save_note(*, owner: int, other: int, text: str) -> None:
    """Save a note of up to ``MAX_NOTE_LENGTH`` characters, or delete the note if ``text`` is empty.

    Raises Refused if ``other`` is the owner. The caller checks that the other user exists.
    """
    if owner == other:
        raise Refused(_("You cannot write a note about yourself."))
    if text:
        user_notes.save_note(id=new_id(), owner=owner, other=other, text=text)
    else:
        user_notes.delete_note(owner=owner, other=other)


def add_notes(*, owner: int, texts: Mapping[int, str]) -> int:
    """Save notes by uid, unless the owner already has a note about the user. Safe to repeat.

    Return the number of new notes. The caller checks the texts and that the users exist, and leaves out the
    owner.
    """
    ids = [new_id() for _text in texts]
    return user_notes.insert_notes(owner=owner, texts=texts, ids=ids)
