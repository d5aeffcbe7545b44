"""API URLs of the instance, reports, announcements and moderators."""

from django.urls import path

from accounts.infra.api.endpoints import route
from socialsite.api import instance

from . import cases, measures, reports, users

CASE = "v1/admin/reports/<id:case_id>"
USER = "v1/admin/accounts/<id:uid>"

urlpatterns = [
    path("v1/admin/accounts", route(get=users.list_users)),
    path("v2/admin/accounts", route(get=users.list_users)),
    path(USER, route(get=users.show_user, delete=users.refuse_unsupported)),
    path(f"{USER}/action", route(post=users.take_action)),
    path(f"{USER}/approve", route(post=users.refuse_unsupported)),
    path(f"{USER}/enable", route(post=users.ignore_unsupported_undo)),
    path(f"{USER}/reject", route(post=users.refuse_unsupported)),
    path(f"{USER}/unsensitive", route(post=users.ignore_unsupported_undo)),
    path(f"{USER}/unsilence", route(post=users.undo_limit)),
    path(f"{USER}/unsuspend", route(post=users.undo_suspend)),
    path("v1/admin/dimensions", route(post=measures.dimensions)),
    path("v1/admin/measures", route(post=measures.measures)),
    path("v1/admin/retention", route(post=measures.retention)),
    path("v1/admin/reports", route(get=cases.list_cases)),
    path(CASE, route(get=cases.show_case, put=cases.update_case)),
    path(f"{CASE}/assign_to_self", route(post=cases.assign_case)),
    path(f"{CASE}/reopen", route(post=cases.reopen_case)),
    path(f"{CASE}/resolve", route(post=cases.close_case)),
    path(f"{CASE}/unassign", route(post=cases.unassign_case)),
    path("v1/announcements", route(get=reports.list_announcements)),
    path("v1/announcements/<id:announcement_id>/dismiss", route(post=reports.dismiss_announcement)),
    path("v1/instance", route(get=instance.instance_v1)),
    path("v2/instance", route(get=instance.instance_v2)),
    path("v1/instance/activity", route(get=instance.activity)),
    path("v1/instance/domain_blocks", route(get=instance.empty_list)),
    path("v1/instance/extended_description", route(get=instance.extended_description)),
    path("v1/instance/languages", route(get=instance.languages)),
    path("v1/instance/peers", route(get=instance.empty_list)),
    path("v1/instance/privacy_policy", route(get=instance.privacy_policy)),
    path("v1/instance/terms_of_service", route(get=instance.terms_of_service)),
    path("v1/instance/rules", route(get=instance.list_rules)),
    path("v1/instance/translation_languages", route(get=instance.translation_languages)),
    path("v1/reports", route(post=reports.create_report)),
]
