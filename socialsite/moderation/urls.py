from django.urls import path

from .views import decisions, reports

urlpatterns = [
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
]
