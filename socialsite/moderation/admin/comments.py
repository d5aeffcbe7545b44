"""Comments of everybody, the newest first: read, searched, and from there moderated."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.ids import time_of
from accounts.paging import cursor, id_in
from accounts.selectors import uid_of
from feed import selectors as feed
from feed.selectors import CommentList
from socialsite.moderation.selectors import READ_DIRECT, named

from .asking import moderator_of, page

PAGE_SIZE = 50
LONGEST = 200


@require_safe
def comments(request: HttpRequest) -> HttpResponse:
    """``?q=``: the number of a comment, @name of who wrote it, or words; ``?max_id=``: older ones."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    with_direct = moderator_of(request).has_perm(READ_DIRECT)
    found = _found(words, cursor(request, "max_id"), with_direct)
    people = named(uids=[one.uid for one in found.comments])
    rows = [(one, people[one.uid], time_of(id=one.id)) for one in found.comments]
    context = page(
        request,
        title=_("Comments"),
        rows=rows,
        older=found.older,
        q=words,
        searched=feed.SEARCHED_COMMENTS,
    )
    return render(request, "admin/moderation/comments.html", context)


def _found(words: str, below: int | None, with_direct: bool) -> CommentList:
    if (number := id_in(words)) is not None:
        return feed.comments_with_id(id=number, with_direct=with_direct)
    asked: dict[str, Any] = {"limit": PAGE_SIZE, "below": below, "with_direct": with_direct}
    if not words.startswith("@"):
        return feed.newest_comments_page(words=words, **asked)
    uid = uid_of(username=words[1:])
    return feed.newest_comments_page(uid=uid, **asked) if uid else CommentList([], None)
