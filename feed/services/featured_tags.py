"""Feature hashtags on the own profile."""

from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from feed.models import MAX_TEXT_LENGTH
from feed.store import pins
from feed.text.hashtags import is_tag_key, normalize_tag

MAX_FEATURED_TAGS = pins.MAX_FEATURED_TAGS


class CannotFeatureTag(Refused):
    """The hashtag cannot be featured. The message is shown to the user."""


def feature_tag(*, author: int, name: str) -> str:
    """Feature a hashtag, with or without the hash sign, and return its normalized form. Safe to repeat.

    Raises CannotFeatureTag if the hashtag is invalid or the author features too many.
    """
    tag = normalize_tag(name.strip())
    if len(tag) > MAX_TEXT_LENGTH or not is_tag_key(tag):
        raise CannotFeatureTag(
            _("This is not a valid hashtag. Use letters, digits and underscores.")
        )
    if not pins.add_featured_tag(author=author, id=new_id(), tag=tag):
        raise CannotFeatureTag(
            _("You can feature up to %(most)d hashtags. Remove a hashtag first.")
            % {"most": MAX_FEATURED_TAGS}
        )
    return tag


def unfeature_tag(*, author: int, featured_id: int) -> bool:
    """Remove a hashtag from the profile. Return False if it was not featured."""
    return pins.remove_featured_tag(author=author, id=featured_id)
