"""How often somebody may call, and what they are told of it: one command for each call.

People are counted by who they are, everybody else by their address (``LIMITS``: "api", "visitor_api").
"""

from typing import Any

from rest_framework.request import Request

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network


def count_request(request: Request) -> None:
    """Raises TooMany."""
    if request.user.is_authenticated:
        action, who = "api", str(request.user.pk)
    else:
        action, who = "visitor_api", client_network(request._request)
    allowance = rate_limits.take_allowance(action=action, subject=who)
    request._request.allowance = allowance  # type: ignore[attr-defined]
    if allowance is not None and allowance.refusal is not None:
        raise allowance.refusal


def rate_limit_headers(request: Any) -> dict[str, str]:
    left: rate_limits.Allowance | None = getattr(request._request, "allowance", None)
    if left is None:
        return {}
    reset = left.resets_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {
        "X-RateLimit-Limit": str(left.limit),
        "X-RateLimit-Remaining": str(left.remaining),
        "X-RateLimit-Reset": reset,
    }
