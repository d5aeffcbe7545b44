"""What a load balancer asks: whether this process answers. Not whether the database does: then all would
be taken away at once, and with them the pages that say so."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    return HttpResponse("OK", content_type="text/plain")
