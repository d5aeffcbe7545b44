"""What there is to read about people: who they are (``profiles``), who follows whom (``graph``), how a
viewer stands to them (``relations``), how they are
``described``, lists for pages (``pages``), which get cards, never model instances;
where mail to them goes (``addresses``); people to find: by ``names``, and
``suggestions``; and what is not let in (``guards``).
"""

from accounts.store.audiences import AudienceBucket, AudienceSize

from .addresses import mail_address, mail_addresses
from .described import DescribedPerson, counts_of_people, described_people
from .directory import directory
from .familiar import familiar_followers
from .graph import (
    audience_buckets,
    audience_size,
    count_follow_requests,
    count_followers_among,
    count_pending_backfills,
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
from .guards import (
    forget_networks,
    is_shut_out,
    may_sign_up_from,
    refuse_blocked_mail,
    refuse_blocked_name,
)
from .invitations import good_invitation, invitations_of, inviter_of
from .names import FOUND, found_people, matching_people
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
from .profiles import (
    Profile,
    is_listed,
    is_private,
    person,
    profile,
    profile_by_id,
    uid_of,
    usernames_among,
    without_view_counts,
)
from .relations import (
    Hidden,
    Listeners,
    Relations,
    boundaries_after,
    hidden_by,
    listeners,
    relations,
)
from .relationships import Relationship, relationships
from .suggestions import Suggestion, not_suggested, suggested_people

__all__ = [
    "FOUND",
    "PAGE_SIZE",
    "AudienceBucket",
    "AudienceSize",
    "DescribedPerson",
    "Hidden",
    "Listeners",
    "PeoplePage",
    "PersonRow",
    "Profile",
    "Relations",
    "Relationship",
    "Suggestion",
    "audience_buckets",
    "audience_size",
    "boundaries_after",
    "boundaries_page",
    "count_follow_requests",
    "count_followers_among",
    "count_pending_backfills",
    "counts_of_people",
    "described_people",
    "directory",
    "familiar_followers",
    "follow_requests_page",
    "followees",
    "followees_after",
    "followees_among",
    "followers_after",
    "followers_among",
    "followers_page",
    "following_page",
    "follows",
    "forget_networks",
    "found_people",
    "good_invitation",
    "has_asked",
    "hidden_by",
    "invitations_of",
    "inviter_of",
    "is_listed",
    "is_private",
    "is_shut_out",
    "listeners",
    "mail_address",
    "mail_addresses",
    "marked_for_backfill",
    "matching_people",
    "may_sign_up_from",
    "newest_people_page",
    "not_suggested",
    "pending_backfill",
    "pending_backfills_of",
    "people_rows",
    "person",
    "profile",
    "profile_by_id",
    "refuse_blocked_mail",
    "refuse_blocked_name",
    "relations",
    "relationships",
    "suggested_people",
    "uid_of",
    "usernames_among",
    "without_view_counts",
]
