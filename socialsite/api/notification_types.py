"""The types of notifications in Mastodon's API, by the kinds of this site.

See https://docs.joinmastodon.org/entities/Notification/#type. Apps do not see kinds without a type.
"""

MODERATION_WARNING = "moderation_warning"

API_TYPES = {
    "mention": "mention",
    "reply": "mention",
    "comment": "mention",
    "thread": "status",
    "post": "status",
    "like": "favourite",
    "share": "reblog",
    "quote": "quote",
    "quoted_edit": "quoted_update",
    "shared_edit": "update",
    "follow": "follow",
    "request": "follow_request",
    "reviewed": "status",
    "poll": "poll",
    "notice": MODERATION_WARNING,
    "decision": MODERATION_WARNING,
}
