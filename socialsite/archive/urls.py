from django.urls import path

from . import views

urlpatterns = [
    path("settings/privacy/data/", views.show_archives, name="data_archives"),
    path("settings/privacy/data/export/", views.start_export, name="start_export"),
    path("settings/privacy/data/import/", views.start_import, name="start_import"),
    path(
        "settings/privacy/data/<id:archive_id>/",
        views.download_archive,
        name="download_archive",
    ),
]
