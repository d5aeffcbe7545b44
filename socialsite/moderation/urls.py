from django.urls import path

from .views import actions, announcements, reports, standard_pages

urlpatterns = [
    path("about/", standard_pages.about, name="about"),
    path("rules/", standard_pages.rules, name="rules"),
    path("privacy/", standard_pages.privacy, name="privacy"),
    path("terms/", standard_pages.terms, name="terms"),
    path(
        "announcements/<id:announcement_id>/dismiss/",
        announcements.dismiss,
        name="dismiss_announcement",
    ),
    path("report/person/<id:id>/", reports.report_subject, {"kind": "person"}, name="report_user"),
    path("report/post/<id:id>/", reports.report_subject, {"kind": "post"}, name="report_post"),
    path(
        "report/comment/<id:post>/<id:id>/",
        reports.report_subject,
        {"kind": "comment"},
        name="report_comment",
    ),
    path("reports/<id:case_id>/", reports.report_status, name="report_status"),
    path("decisions/", actions.action_list, name="moderation_actions"),
    path("decisions/<id:action_id>/", actions.action_detail, name="moderation_action"),
    path("disputes/strikes/<id:action_id>", actions.strike_redirect, name="mastodon_strike"),
]
