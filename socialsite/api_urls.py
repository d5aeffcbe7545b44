"""The addresses of the API: ``/api/v1`` and ``/api/v2`` as clients of Mastodon know them.

What each does is in the ``api`` package of its app; the description of all of it is at ``/api/schema/``.
"""

from django.urls import path

from accounts.api import apps, route
from accounts.api.description import Docs, schema
from feed.api import accounts, statuses, timelines
from socialsite.moderation.api import cases, instance, people, reports

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
    path("v1/accounts/verify_credentials", route(get=accounts.verify_credentials)),
    path("v1/accounts/<id:uid>", route(get=accounts.show)),
    path("v1/statuses", route(post=statuses.publish)),
    path(STATUS, route(get=statuses.show, put=statuses.edit, delete=statuses.delete)),
    path(f"{STATUS}/favourite", route(post=statuses.favourite)),
    path(f"{STATUS}/unfavourite", route(post=statuses.unfavourite)),
    path(f"{STATUS}/reblog", route(post=statuses.reblog)),
    path(f"{STATUS}/unreblog", route(post=statuses.unreblog)),
    path("v1/timelines/home", route(get=timelines.home)),
    path("v1/timelines/public", route(get=timelines.public)),
    path("v1/timelines/tag/<str:tag>", route(get=timelines.tag)),
    path("v1/timelines/list/<id:list_id>", route(get=timelines.people_list)),
    path("v1/admin/accounts", route(get=people.people)),
    path("v2/admin/accounts", route(get=people.people)),
    path(PERSON, route(get=people.person, delete=people.not_here)),
    path(f"{PERSON}/action", route(post=people.act)),
    path(f"{PERSON}/unsilence", route(post=people.unsilence)),
    path(f"{PERSON}/unsuspend", route(post=people.unsuspend)),
    path(f"{PERSON}/enable", route(post=people.nothing_to_undo)),
    path(f"{PERSON}/unsensitive", route(post=people.nothing_to_undo)),
    path(f"{PERSON}/approve", route(post=people.not_here)),
    path(f"{PERSON}/reject", route(post=people.not_here)),
    path("v1/admin/reports", route(get=cases.reports)),
    path(CASE, route(get=cases.report)),
    path(f"{CASE}/assign_to_self", route(post=cases.assign)),
    path(f"{CASE}/unassign", route(post=cases.unassign)),
    path(f"{CASE}/resolve", route(post=cases.resolve)),
    path(f"{CASE}/reopen", route(post=cases.reopen)),
]
