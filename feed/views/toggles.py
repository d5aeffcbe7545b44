"""Responses to the buttons that like, share and bookmark."""

import json
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.viewer import anchor_of
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView

ToggleKind = Literal["like", "share", "bookmark"]


def toggle_response(
    request: HttpRequest,
    *,
    post: PostView,
    kind: ToggleKind = "like",
    comment: CommentView | None = None,
    message: str = "",
) -> HttpResponse:
    """Return the changed button to htmx. The script of the page shows the message."""
    context = {"post": post, "kind": kind, "comment": comment, "at": anchor_of(request)}
    response = render(request, "feed/_toggle.html", context)
    return with_message(response, message) if message else response


def with_message(response: HttpResponse, message: str) -> HttpResponse:
    """Let the script of the page show a message."""
    response["HX-Trigger"] = json.dumps({"site:message": message})
    return response
