"""The description of the API, and a page to read it."""

import json
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerSplitView


@require_safe
@cache_control(public=True, max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    """OpenAPI 3.1 in JSON."""
    return HttpResponse(schema_json(), content_type="application/vnd.oai.openapi+json")


@cache
def schema_json() -> bytes:
    """Made once in each process: it takes a second, and is the same for everybody."""
    made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.dumps(made, default=str).encode()


class ApiDocsView(SpectacularSwaggerSplitView):
    """Its script is an answer of its own, and it has no style: the site allows neither in pages."""

    template_name = "api_docs.html"
