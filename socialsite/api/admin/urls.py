"""The URLs of the API for moderators and administrators."""

from django.urls import path

from socialsite.api.plumbing.endpoints import route

from . import cases, measures, users

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
]
