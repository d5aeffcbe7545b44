"""The addresses of the API: ``/api/v1`` and ``/api/v2`` as clients of Mastodon know them.

What each does is in the ``api`` package of its app; the description of all of it is at ``/api/schema/``.
"""

from django.urls import path

from accounts.api import apps, registering, route
from accounts.api.description import Docs, schema
from feed.api import accounts, people, profile, relationships, search, statuses, timelines
from socialsite.moderation.api import cases, instance, reports
from socialsite.moderation.api import people as moderated

ACCOUNT = "v1/accounts/<id:uid>"
STATUS = "v1/statuses/<id:status_id>"
PERSON = "v1/admin/accounts/<id:uid>"
CASE = "v1/admin/reports/<id:case_id>"

urlpatterns = [
    path("schema/", schema, name="api_schema"),
    path("docs/", Docs.as_view(url_name="api_schema"), name="api_docs"),
    path("v1/instance", route(get=instance.show_old)),
    path("v1/instance/rules", route(get=instance.rules)),
    path("v1/instance/peers", route(get=instance.nothing)),
    path("v1/instance/activity", route(get=instance.nothing)),
    path("v1/instance/domain_blocks", route(get=instance.nothing)),
    path("v1/instance/extended_description", route(get=instance.description)),
    path("v1/instance/translation_languages", route(get=instance.languages)),
    path("v2/instance", route(get=instance.show)),
    path("v1/announcements", route(get=reports.announcements)),
    path("v1/announcements/<id:announcement_id>/dismiss", route(post=reports.dismiss)),
    path("v1/reports", route(post=reports.report)),
    path("v1/apps", route(post=apps.register), name="api_apps"),
    path("v1/apps/verify_credentials", route(get=apps.verify)),
    path("v1/accounts", route(get=accounts.several, post=registering.register)),
    path("v1/accounts/familiar_followers", route(get=relationships.familiar_followers)),
    path("v1/accounts/lookup", route(get=accounts.lookup)),
    path("v1/accounts/relationships", route(get=relationships.relationships)),
    path("v1/accounts/search", route(get=accounts.search)),
    path("v1/accounts/update_credentials", route(patch=profile.update_credentials)),
    path("v1/accounts/verify_credentials", route(get=accounts.verify_credentials)),
    path(ACCOUNT, route(get=accounts.show)),
    path(f"{ACCOUNT}/block", route(post=relationships.block)),
    path(f"{ACCOUNT}/endorse", route(post=relationships.endorse)),
    path(f"{ACCOUNT}/endorsements", route(get=people.endorsements_of)),
    path(f"{ACCOUNT}/featured_tags", route(get=accounts.featured_tags)),
    path(f"{ACCOUNT}/follow", route(post=relationships.follow)),
    path(f"{ACCOUNT}/followers", route(get=people.followers)),
    path(f"{ACCOUNT}/following", route(get=people.following)),
    path(f"{ACCOUNT}/lists", route(get=accounts.lists)),
    path(f"{ACCOUNT}/mute", route(post=relationships.mute)),
    path(f"{ACCOUNT}/note", route(post=relationships.note)),
    path(f"{ACCOUNT}/pin", route(post=relationships.pin)),
    path(f"{ACCOUNT}/remove_from_followers", route(post=relationships.remove_from_followers)),
    path(f"{ACCOUNT}/statuses", route(get=accounts.statuses)),
    path(f"{ACCOUNT}/unblock", route(post=relationships.unblock)),
    path(f"{ACCOUNT}/unendorse", route(post=relationships.unendorse)),
    path(f"{ACCOUNT}/unfollow", route(post=relationships.unfollow)),
    path(f"{ACCOUNT}/unmute", route(post=relationships.unmute)),
    path(f"{ACCOUNT}/unpin", route(post=relationships.unpin)),
    path("v1/blocks", route(get=people.blocks)),
    path("v1/directory", route(get=people.directory)),
    path(
        "v1/domain_blocks",
        route(get=people.domain_blocks, post=people.block_domain, delete=people.unblock_domain),
    ),
    path("v1/endorsements", route(get=people.endorsements)),
    path("v1/follow_requests", route(get=people.follow_requests)),
    path("v1/follow_requests/<id:uid>/authorize", route(post=relationships.accept_request)),
    path("v1/follow_requests/<id:uid>/reject", route(post=relationships.refuse_request)),
    path("v1/mutes", route(get=people.mutes)),
    path("v1/preferences", route(get=profile.preferences)),
    path("v1/profile/avatar", route(delete=profile.delete_avatar)),
    path("v1/profile/header", route(delete=profile.delete_header)),
    path("v1/statuses", route(post=statuses.publish)),
    path(STATUS, route(get=statuses.show, put=statuses.edit, delete=statuses.delete)),
    path(f"{STATUS}/favourite", route(post=statuses.favourite)),
    path(f"{STATUS}/unfavourite", route(post=statuses.unfavourite)),
    path(f"{STATUS}/reblog", route(post=statuses.reblog)),
    path(f"{STATUS}/unreblog", route(post=statuses.unreblog)),
    path("v1/suggestions", route(get=people.suggested_accounts)),
    path("v1/suggestions/<id:uid>", route(delete=people.dismiss_suggestion)),
    path("v1/timelines/home", route(get=timelines.home)),
    path("v1/timelines/public", route(get=timelines.public)),
    path("v1/timelines/tag/<str:tag>", route(get=timelines.tag)),
    path("v1/timelines/list/<id:list_id>", route(get=timelines.people_list)),
    path("v1/admin/accounts", route(get=moderated.people)),
    path("v2/admin/accounts", route(get=moderated.people)),
    path(PERSON, route(get=moderated.person, delete=moderated.not_here)),
    path(f"{PERSON}/action", route(post=moderated.act)),
    path(f"{PERSON}/unsilence", route(post=moderated.unsilence)),
    path(f"{PERSON}/unsuspend", route(post=moderated.unsuspend)),
    path(f"{PERSON}/enable", route(post=moderated.nothing_to_undo)),
    path(f"{PERSON}/unsensitive", route(post=moderated.nothing_to_undo)),
    path(f"{PERSON}/approve", route(post=moderated.not_here)),
    path(f"{PERSON}/reject", route(post=moderated.not_here)),
    path("v1/admin/reports", route(get=cases.reports)),
    path(CASE, route(get=cases.report)),
    path(f"{CASE}/assign_to_self", route(post=cases.assign)),
    path(f"{CASE}/unassign", route(post=cases.unassign)),
    path(f"{CASE}/resolve", route(post=cases.resolve)),
    path(f"{CASE}/reopen", route(post=cases.reopen)),
    path("v2/search", route(get=search.search)),
    path("v2/suggestions", route(get=people.suggestions)),
]
