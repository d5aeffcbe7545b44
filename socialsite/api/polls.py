"""Read polls and vote: https://docs.joinmastodon.org/methods/polls/."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from feed.selectors.visible_posts import visible_post
from feed.services.polls import vote

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs
from .serializers.statuses import Poll, serialize_poll

MAX_CHOICES_READ = 40


class VoteInputs(Inputs):
    """``choices``: the numbers of the chosen options, beginning with 0. Repeated numbers count once."""

    choices = serializers.ListField(
        child=serializers.IntegerField(), max_length=MAX_CHOICES_READ, default=list
    )


def _poll(poll_id: int, viewer: int | None) -> Poll:
    post = visible_post(post_id=poll_id, viewer=viewer)
    if post.poll is None or post.id != poll_id:
        raise Http404("No such poll.")
    return serialize_poll(post=post)


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Poll)
def show(request: ApiRequest, poll_id: int) -> Any:
    """Return a poll. Its id is the id of its post."""
    return _poll(poll_id, request.viewer_id)


@endpoint("write:statuses", inputs=VoteInputs, returns=Poll)
def create_vote(request: ApiRequest, poll_id: int) -> Any:
    """Vote in a poll, once. A vote cannot be changed."""
    post = visible_post(post_id=poll_id, viewer=request.uid)
    vote(post=post, choices=request.inputs["choices"], actor=request.signed_in_user)
    return _poll(post.id, request.uid)
