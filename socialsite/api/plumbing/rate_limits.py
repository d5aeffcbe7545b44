"""Rate limits of API requests, and their response headers. Each request costs one command.

Requests with a user count by uid (action "api" in ``RATE_LIMITS``), others by network (action
"visitor_api").
"""

from typing import Any

from rest_framework.request import Request

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network


def count_request(request: Request) -> None:
    """Count the request before the endpoint runs. Raises RateLimited."""
    if request.user.is_authenticated:
        action, subject = "api", str(request.user.pk)
    else:
        action, subject = "visitor_api", client_network(request._request)
    allowance = rate_limits.take_allowance(action=action, subject=subject)
    request._request.allowance = allowance  # type: ignore[attr-defined]
    if allowance is not None and allowance.refusal is not None:
        raise allowance.refusal


def rate_limit_headers(request: Any) -> dict[str, str]:
    allowance: rate_limits.Allowance | None = getattr(request._request, "allowance", None)
    if allowance is None:
        return {}
    reset = allowance.resets_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {
        "X-RateLimit-Limit": str(allowance.limit),
        "X-RateLimit-Remaining": str(allowance.remaining),
        "X-RateLimit-Reset": reset,
    }
