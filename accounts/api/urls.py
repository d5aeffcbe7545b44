"""URLs of the API description and of the registration of apps."""

from django.urls import path

from accounts.infra.api.endpoints import route
from accounts.infra.api.schema_views import ApiDocsView, schema

from . import apps

urlpatterns = [
    path("schema/", schema, name="api_schema"),
    path("docs/", ApiDocsView.as_view(url_name="api_schema"), name="api_docs"),
    path("v1/apps", route(post=apps.register_app), name="api_apps"),
    path("v1/apps/verify_credentials", route(get=apps.verify_app)),
]
