"""Addresses of the API: its description, and apps."""

from django.urls import path

from . import apps
from .description import Docs, schema
from .endpoints import route

urlpatterns = [
    path("schema/", schema, name="api_schema"),
    path("docs/", Docs.as_view(url_name="api_schema"), name="api_docs"),
    path("v1/apps", route(post=apps.register), name="api_apps"),
    path("v1/apps/verify_credentials", route(get=apps.verify)),
]
