from django.urls import path

from .api import instance
from .views import decisions, reports

urlpatterns = [
    path(".well-known/nodeinfo", instance.nodeinfo_links, name="nodeinfo_links"),
    path("nodeinfo/2.0", instance.nodeinfo, name="nodeinfo"),
    path("rules/", reports.rules, name="rules"),
    path("report/person/<id:id>/", reports.report, {"kind": "person"}, name="report_person"),
    path("report/post/<id:id>/", reports.report, {"kind": "post"}, name="report_post"),
    path(
        "report/comment/<id:post>/<id:id>/",
        reports.report,
        {"kind": "comment"},
        name="report_comment",
    ),
    path("reports/<id:case_id>/", reports.my_report, name="my_report"),
    path("decisions/", decisions.all_decisions, name="decisions"),
    path("decisions/<id:action_id>/", decisions.one_decision, name="decision"),
    path("disputes/strikes/<id:action_id>", decisions.known_decision, name="known_decision"),
]
