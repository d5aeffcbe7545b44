"""Comments of everybody, the newest first: read, searched, and from there moderated."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.infra.ids import time_of
from accounts.infra.paging import cursor_param, parse_id
from accounts.selectors.profiles import uid_by_username
from feed.selectors.newest_comments import (
    SEARCHED_COMMENTS,
    CommentRowsPage,
    comment_page_by_id,
    newest_comments_page,
)
from socialsite.moderation.selectors.reported_content import READ_DIRECT
from socialsite.moderation.selectors.user_names import names_by_uid

from .access import page_context, signed_in_moderator

PAGE_SIZE = 50
MAX_QUERY_LENGTH = 200


@require_safe
def comment_list(request: HttpRequest) -> HttpResponse:
    """``?q=``: the number of a comment, @name of who wrote it, or words; ``?max_id=``: older ones."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY_LENGTH]
    with_direct = signed_in_moderator(request).has_perm(READ_DIRECT)
    found = _found(words, cursor_param(request, "max_id"), with_direct)
    people = names_by_uid(uids=[one.uid for one in found.comments])
    rows = [(one, people[one.uid], time_of(id=one.id)) for one in found.comments]
    context = page_context(
        request,
        title=_("Comments"),
        rows=rows,
        older=found.older_cursor,
        q=words,
        searched=SEARCHED_COMMENTS,
    )
    return render(request, "admin/moderation/comments.html", context)


def _found(words: str, below: int | None, with_direct: bool) -> CommentRowsPage:
    if (number := parse_id(words)) is not None:
        return comment_page_by_id(comment_id=number, include_direct=with_direct)
    asked: dict[str, Any] = {"limit": PAGE_SIZE, "below": below, "with_direct": with_direct}
    if not words.startswith("@"):
        return newest_comments_page(text=words, **asked)
    uid = uid_by_username(username=words[1:])
    return newest_comments_page(author=uid, **asked) if uid else CommentRowsPage([], None)
