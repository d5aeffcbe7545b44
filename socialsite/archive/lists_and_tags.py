"""Export and import user lists and featured hashtags.

``lists.csv`` has a row ``title, handle`` for each member, as in Mastodon. ``settings.json`` has what that
format cannot express: the properties of each list, and the featured hashtags.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404

from accounts.forms import SingleLineField
from accounts.selectors.follow_graph import followees_among
from feed import attributes
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.user_lists import owned_list, owned_lists
from feed.services.featured_tags import CannotFeatureTag, feature_tag
from feed.services.user_lists import CannotChangeList, add_to_list, create_list
from feed.store.user_lists import LIST, MAX_LISTS, MAX_USERS, REPLIES_POLICIES

from .list_files import rows_of
from .media import ImportJob
from .site_urls import local_username
from .source import Source, damaged_file_error

MAX_MEMBERS = MAX_LISTS * MAX_USERS
MAX_TAGS = 10
_TITLE = SingleLineField(max_length=60)


@dataclass(frozen=True, slots=True)
class ListMember:
    """A row of ``lists.csv``, with the properties of its list."""

    title: str
    username: str
    is_exclusive: bool
    replies_policy: str


def lists_json(*, uid: int) -> list[dict[str, Any]]:
    """Return the properties of the user's lists."""
    return [
        {
            "title": user_list.title,
            "exclusive": user_list.is_exclusive,
            "replies_policy": user_list.replies_policy,
        }
        for user_list in owned_lists(owner=uid)
    ]


def read_settings(*, source: Source) -> dict[str, Any]:
    """Return ``settings.json``, {} if there is none or it is not of this site. Raises BadArchive."""
    if not source.has("settings.json"):
        return {}
    try:
        settings = json.loads(source.read_small("settings.json"))
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(file_name="settings.json") from error
    return settings if isinstance(settings, dict) else {}


def read_featured_tags(*, settings: dict[str, Any]) -> list[str]:
    """Return the featured hashtags, which are not validated yet."""
    names = settings.get("featured_hashtags")
    if not isinstance(names, list):
        return []
    return [name for name in names if isinstance(name, str)][:MAX_TAGS]


def read_list_members(*, source: Source, settings: dict[str, Any]) -> tuple[list[ListMember], int]:
    """Return the members of lists who are users of this site, and the number of other rows.

    Raises BadArchive.
    """
    options = _options_by_title(settings)
    members: dict[ListMember, None] = {}
    skipped_count = 0
    for row in rows_of(source=source, name="lists.csv", handle_column=1):
        title = _clean_title(row[0])
        username = local_username(row[1]) if len(row) > 1 else None
        if title and username and len(members) < MAX_MEMBERS:
            is_exclusive, replies_policy = options.get(title, (False, LIST))
            members[ListMember(title, username, is_exclusive, replies_policy)] = None
        else:
            skipped_count += 1
    return list(members), skipped_count


def import_list_members(members: Sequence[ListMember], job: ImportJob) -> Counter[str]:
    """Add followed users to lists, and create the missing lists. Safe to repeat.

    A list of the owner with the same title gets the members and keeps its properties.
    """
    job.heartbeat()
    counts, owner = Counter[str](), job.owner
    uids = attributes.uids_by_username(usernames=[member.username for member in members])
    followed = followees_among(uid=owner.pk, uids=uids.values())
    lists = {user_list.title: user_list for user_list in owned_lists(owner=owner.pk)}
    for member in members:
        uid = uids.get(member.username)
        if uid is None or uid not in followed:
            counts["not_on_lists"] += 1
            continue
        try:
            if member.title not in lists:
                list_id = create_list(
                    owner=owner,
                    title=member.title,
                    is_exclusive=member.is_exclusive,
                    replies_policy=member.replies_policy,
                )
                lists[member.title] = owned_list(owner=owner.pk, list_id=list_id)
            if uid in lists[member.title].uids:
                continue
            add_to_list(owner=owner, user_list=lists[member.title], uids=[uid])
        except (CannotChangeList, Http404):
            counts["not_on_lists"] += 1
        else:
            counts["list_members"] += 1
    return counts


def import_featured_tags(names: Sequence[str], job: ImportJob) -> Counter[str]:
    """Feature hashtags as far as there is room. Safe to repeat."""
    counts: Counter[str] = Counter()
    featured = featured_tag_names(author=job.owner.pk)
    for name in names:
        if name in featured:
            continue
        try:
            feature_tag(author=job.owner.pk, name=name)
        except CannotFeatureTag:
            continue
        counts["featured_tags"] += 1
    return counts


def _options_by_title(settings: dict[str, Any]) -> dict[str, tuple[bool, str]]:
    lists = settings.get("lists")
    options: dict[str, tuple[bool, str]] = {}
    for properties in lists[:MAX_LISTS] if isinstance(lists, list) else ():
        if not isinstance(properties, dict):
            continue
        title = _clean_title(properties.get("title"))
        policy = properties.get("replies_policy")
        if title:
            options[title] = (
                properties.get("exclusive") is True,
                policy if policy in REPLIES_POLICIES else LIST,
            )
    return options


def _clean_title(title: Any) -> str:
    try:
        return _TITLE.clean(title) if isinstance(title, str) else ""
    except ValidationError:
        return ""
