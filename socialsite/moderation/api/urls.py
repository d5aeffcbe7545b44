"""Addresses of the API: the site as a whole, reports, and moderators."""

from django.urls import path

from accounts.api import route

from . import cases, instance, measures, people, reports

CASE = "v1/admin/reports/<id:case_id>"
PERSON = "v1/admin/accounts/<id:uid>"

urlpatterns = [
    path("v1/admin/accounts", route(get=people.people)),
    path("v2/admin/accounts", route(get=people.people)),
    path(PERSON, route(get=people.person, delete=people.not_here)),
    path(f"{PERSON}/action", route(post=people.act)),
    path(f"{PERSON}/approve", route(post=people.not_here)),
    path(f"{PERSON}/enable", route(post=people.nothing_to_undo)),
    path(f"{PERSON}/reject", route(post=people.not_here)),
    path(f"{PERSON}/unsensitive", route(post=people.nothing_to_undo)),
    path(f"{PERSON}/unsilence", route(post=people.unsilence)),
    path(f"{PERSON}/unsuspend", route(post=people.unsuspend)),
    path("v1/admin/dimensions", route(post=measures.dimensions)),
    path("v1/admin/measures", route(post=measures.measures)),
    path("v1/admin/retention", route(post=measures.retention)),
    path("v1/admin/reports", route(get=cases.reports)),
    path(CASE, route(get=cases.report, put=cases.sort)),
    path(f"{CASE}/assign_to_self", route(post=cases.assign)),
    path(f"{CASE}/reopen", route(post=cases.reopen)),
    path(f"{CASE}/resolve", route(post=cases.resolve)),
    path(f"{CASE}/unassign", route(post=cases.unassign)),
    path("v1/announcements", route(get=reports.announcements)),
    path("v1/announcements/<id:announcement_id>/dismiss", route(post=reports.dismiss)),
    path("v1/instance", route(get=instance.show_old)),
    path("v2/instance", route(get=instance.show)),
    path("v1/instance/activity", route(get=instance.nothing)),
    path("v1/instance/domain_blocks", route(get=instance.nothing)),
    path("v1/instance/extended_description", route(get=instance.description)),
    path("v1/instance/languages", route(get=instance.languages)),
    path("v1/instance/peers", route(get=instance.nothing)),
    path("v1/instance/privacy_policy", route(get=instance.privacy_policy)),
    path("v1/instance/rules", route(get=instance.rules)),
    path("v1/instance/translation_languages", route(get=instance.translation_languages)),
    path("v1/reports", route(post=reports.report)),
]
