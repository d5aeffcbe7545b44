"""The quotes of a post, and who may quote it."""

from typing import Any

from rest_framework.fields import empty

from feed.selectors.post_pages import quotes_page
from feed.services.quotes import revoke_quote, set_quote_policy

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs, PageInputs
from .serializers.statuses import Status
from .status_inputs import QuotePolicyField
from .status_lookup import find_post, find_status, reload_status
from .timelines import status_page


class QuotePolicyInputs(Inputs):
    quote_approval_policy = QuotePolicyField(
        required=True, allow_null=False, allow_blank=False, default=empty
    )


@endpoint(
    "read:statuses", caller=Caller.ANYONE, inputs=PageInputs, returns=list[Status], tag="statuses"
)
def index(request: ApiRequest, status_id: int) -> Any:
    """Return the posts that quote a post, newest first. Empty for a comment."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    if status.comment is not None:
        return []
    page = quotes_page(post=status.post, viewer=request.viewer_id, bounds=request.page_bounds)
    return status_page(page=page, request=request)


@endpoint("write:statuses", returns=Status, tag="statuses")
def revoke(request: ApiRequest, status_id: int, quoting_status_id: int) -> Any:
    """Remove the caller's own post from a post that quotes it. Returns the quoting post."""
    post = find_post(status_id=status_id, viewer=request.uid)
    revoke_quote(quoted=post, quoting_id=quoting_status_id, actor=request.signed_in_user)
    return reload_status(status_id=quoting_status_id, viewer=request.uid)


@endpoint("write:statuses", inputs=QuotePolicyInputs, returns=Status, tag="statuses")
def set_policy(request: ApiRequest, status_id: int) -> Any:
    """Choose who may quote the caller's own post from now on."""
    post = find_post(status_id=status_id, viewer=request.uid)
    set_quote_policy(
        post=post,
        actor=request.signed_in_user,
        policy=request.inputs["quote_approval_policy"],
    )
    return reload_status(status_id=post.id, viewer=request.uid)
