"""What there is to read about people: who they are (``profiles``), who follows whom (``graph``), how a
viewer stands to them (``relations``), lists for pages (``pages``), which get cards, never model instances;
where mail to them goes (``addresses``); and people to find: by ``names``, and ``suggestions``.
"""

from accounts.store.audiences import AudienceBucket, AudienceSize

from .addresses import mail_address
from .graph import (
    audience_buckets,
    audience_size,
    count_followers_among,
    followees,
    followees_after,
    followees_among,
    followers_after,
    followers_among,
    follows,
    has_asked,
    marked_for_backfill,
    pending_backfill,
    pending_backfills_of,
)
from .names import FOUND, found_people
from .pages import (
    PAGE_SIZE,
    PeoplePage,
    PersonRow,
    boundaries_page,
    follow_requests_page,
    followers_page,
    following_page,
    newest_people_page,
    people_rows,
)
from .profiles import Profile, is_listed, is_private, person, profile
from .relations import (
    Hidden,
    Listeners,
    Relations,
    boundaries_after,
    hidden_by,
    listeners,
    relations,
)
from .suggestions import Suggestion, suggested_people

__all__ = [
    "FOUND",
    "PAGE_SIZE",
    "AudienceBucket",
    "AudienceSize",
    "Hidden",
    "Listeners",
    "PeoplePage",
    "PersonRow",
    "Profile",
    "Relations",
    "Suggestion",
    "audience_buckets",
    "audience_size",
    "boundaries_after",
    "boundaries_page",
    "count_followers_among",
    "follow_requests_page",
    "followees",
    "followees_after",
    "followees_among",
    "followers_after",
    "followers_among",
    "followers_page",
    "following_page",
    "follows",
    "found_people",
    "has_asked",
    "hidden_by",
    "is_listed",
    "is_private",
    "listeners",
    "mail_address",
    "marked_for_backfill",
    "newest_people_page",
    "pending_backfill",
    "pending_backfills_of",
    "people_rows",
    "person",
    "profile",
    "relations",
    "suggested_people",
]
