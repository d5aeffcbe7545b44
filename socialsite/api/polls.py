"""Polls as apps see them: inputs of new statuses, the polls of statuses, and votes.

https://docs.joinmastodon.org/methods/polls/ and https://docs.joinmastodon.org/entities/Poll/.
"""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.kinds import polls
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.services.answers import answer

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs, TextField
from .serializers.accounts import Emoji
from .serializers.values import DateTime, Id, format_datetime

MAX_CHOICES_READ = 40


class PollInputs(Inputs):
    """A poll. A poll without ``options`` is ignored, because one app sends it with every edit.

    Empty options are left out. ``expires_in`` is in seconds.
    """

    options = serializers.ListField(
        child=TextField(max_length=polls.MAX_CHOICE_LENGTH, one_line=True),
        max_length=40,
        required=False,
        allow_null=True,
        default=list,
    )
    expires_in = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=polls.MIN_SECONDS,
        max_value=polls.MAX_SECONDS,
    )
    multiple = serializers.BooleanField(required=False, allow_null=True, default=False)
    hide_totals = serializers.BooleanField(required=False, allow_null=True, default=False)

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the fields of the kind (``kinds.polls``), or {} without options."""
        choices = [choice for choice in inputs["options"] or () if choice]
        if not inputs["options"]:
            return {}
        if not polls.MIN_CHOICES <= len(choices) <= polls.MAX_CHOICES:
            raise serializers.ValidationError(
                {"options": _("A poll has two to four choices.")}, code="invalid"
            )
        if len(set(choices)) < len(choices):
            raise serializers.ValidationError({"options": _("Two choices are the same.")})
        if inputs["expires_in"] is None:
            raise serializers.ValidationError(
                {"expires_in": _("Choose how long the poll lasts.")}, code="required"
            )
        return {
            **dict(zip(polls.Poll.CHOICE_NAMES, choices, strict=False)),
            "duration": inputs["expires_in"],
            "is_multiple": bool(inputs["multiple"]),
            "hides_totals": bool(inputs["hide_totals"]),
        }


class PollOption(TypedDict):
    title: str
    votes_count: int | None


class Poll(TypedDict):
    """``voted`` and ``own_votes`` are only for users. Authors count as users who have voted."""

    id: Id
    expires_at: DateTime | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int | None
    voted: NotRequired[bool]
    own_votes: NotRequired[list[int]]
    options: list[PollOption]
    emojis: list[Emoji]


def serialize_poll(*, post: PostView) -> Poll:
    """Serialize the poll of a post. Raises LookupError if the post has none."""
    poll = post.answer_card
    if not isinstance(poll, polls.PollView):
        raise LookupError("The post has no poll.")
    serialized_poll: Poll = {
        "id": str(post.id),
        "expires_at": format_datetime(poll.ends_at),
        "expired": poll.is_over,
        "multiple": poll.is_multiple,
        "votes_count": poll.votes,
        "voters_count": poll.voters,
        "options": [{"title": choice.text, "votes_count": choice.votes} for choice in poll.choices],
        "emojis": [],
    }
    if poll.has_viewer:
        serialized_poll["voted"] = poll.is_own or bool(poll.own_choices)
        serialized_poll["own_votes"] = list(poll.own_choices)
    return serialized_poll


class ScheduledPoll(TypedDict):
    """``expires_in`` is in seconds from the publication."""

    options: list[str]
    expires_in: int
    multiple: bool
    hide_totals: bool


def serialize_scheduled_poll(values: Mapping[str, Any]) -> ScheduledPoll:
    choices = (values.get(name) for name in polls.Poll.CHOICE_NAMES)
    return {
        "options": [choice for choice in choices if choice],
        "expires_in": values["duration"],
        "multiple": values["is_multiple"],
        "hide_totals": values["hides_totals"],
    }


class StatusEditOption(TypedDict):
    title: str


class StatusEditPoll(TypedDict):
    """The choices of the poll in a version of a status."""

    options: list[StatusEditOption]


class VoteInputs(Inputs):
    """``choices``: the numbers of the chosen options, beginning with 0. Repeated numbers count once."""

    choices = serializers.ListField(
        child=serializers.IntegerField(), max_length=MAX_CHOICES_READ, default=list
    )


def _poll(poll_id: int, viewer: int | None) -> Poll:
    post = visible_post(post_id=poll_id, viewer=viewer)
    if post.kind != "poll" or post.id != poll_id:
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
    if post.kind != "poll":
        raise Http404("No such poll.")
    answer(post=post, choices=request.inputs["choices"], actor=request.signed_in_user)
    return _poll(post.id, request.uid)
