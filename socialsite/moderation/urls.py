from django.urls import path

from . import views
from .models import StandardPage

urlpatterns = [
    path("about/", views.about, name="about"),
    path("rules/", views.rules, name="rules"),
    path("privacy/", views.standard_page, {"page": StandardPage.PRIVACY}, name="privacy"),
    path("terms/", views.standard_page, {"page": StandardPage.TERMS}, name="terms"),
    path(
        "announcements/<id:announcement_id>/dismiss/",
        views.dismiss,
        name="dismiss_announcement",
    ),
    path("report/person/<id:id>/", views.report_subject, {"kind": "person"}, name="report_user"),
    path("report/post/<id:id>/", views.report_subject, {"kind": "post"}, name="report_post"),
    path(
        "report/comment/<id:post>/<id:id>/",
        views.report_subject,
        {"kind": "comment"},
        name="report_comment",
    ),
    path("reports/<id:case_id>/", views.report_status, name="report_status"),
    path("decisions/", views.action_list, name="moderation_actions"),
    path("decisions/<id:action_id>/", views.action_detail, name="moderation_action"),
    path("disputes/strikes/<id:action_id>", views.strike_redirect, name="mastodon_strike"),
]
