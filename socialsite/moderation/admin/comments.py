"""The newest comments of all users, with search and links to moderate them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.infra.cursors import cursor_param, parse_id
from accounts.infra.ids import time_of
from accounts.selectors.profiles import uid_by_username
from accounts.selectors.user_names import names_by_uid
from feed.selectors.stored_content import (
    SEARCHED_COMMENTS,
    CommentRowsPage,
    comment_page_by_id,
    newest_comments_page,
)
from socialsite.moderation.selectors.reported_content import READ_DIRECT

from .access import page_context, signed_in_moderator

PAGE_SIZE = 50
MAX_QUERY_LENGTH = 200


@require_safe
def comment_list(request: HttpRequest) -> HttpResponse:
    """List comments. ``?q=`` is an id, an @name or a text. ``?max_id=`` is a cursor to older comments."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY_LENGTH]
    include_direct = signed_in_moderator(request).has_perm(READ_DIRECT)
    page = _search_comments(query, cursor_param(request, "max_id"), include_direct)
    names = names_by_uid(uids=[comment.uid for comment in page.comments])
    rows = [(comment, names[comment.uid], time_of(id=comment.id)) for comment in page.comments]
    context = page_context(
        request,
        title=_("Comments"),
        rows=rows,
        older=page.older_cursor,
        q=query,
        searched_count=SEARCHED_COMMENTS,
    )
    return render(request, "admin/moderation/comments.html", context)


def _search_comments(query: str, below: int | None, include_direct: bool) -> CommentRowsPage:
    if (comment_id := parse_id(query)) is not None:
        return comment_page_by_id(comment_id=comment_id, include_direct=include_direct)
    options: dict[str, Any] = {"limit": PAGE_SIZE, "below": below, "include_direct": include_direct}
    if not query.startswith("@"):
        return newest_comments_page(text=query, **options)
    uid = uid_by_username(username=query)
    return newest_comments_page(author=uid, **options) if uid else CommentRowsPage([], None)
