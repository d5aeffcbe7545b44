"""Views of the API description, as JSON and as a page."""

import json
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.views import SpectacularSwaggerSplitView


@require_safe
@cache_control(public=True, max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    """Return the API description (OpenAPI 3.1) as JSON."""
    return HttpResponse(schema_json(), content_type="application/vnd.oai.openapi+json")


@cache
def schema_json() -> bytes:
    """Return the API description. Each process generates it once, because this takes a second."""
    generator: Any = SchemaGenerator(urlconf=spectacular_settings.SERVE_URLCONF)  # type: ignore[no-untyped-call]
    description = generator.get_schema(request=None, public=True)
    return json.dumps(description, default=str).encode()


class ApiDocsView(SpectacularSwaggerSplitView):
    """The page with the API description. The site forbids inline scripts and inline styles.

    So the page loads its script from a URL of its own, and does without the styles.
    """

    template_name = "api_docs.html"
