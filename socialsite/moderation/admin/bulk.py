"""The same done to many posts or people at once, as in a wave of spam.

Each is an action of its own, with its own permission and its own undo: what one may not do, or what fails,
is told by its name, and doing all of it again goes on with the rest.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.paging import id_in
from feed import selectors as feed
from feed.models import Post
from socialsite.moderation import decisions, selectors, services
from socialsite.moderation.forms.moderators import BulkForm
from socialsite.moderation.models import SubjectKind
from socialsite.moderation.subjects import Subject

from .asking import moderator_of, page

MOST = 200
"""At once: each takes some hundredths of a second, and somebody waits for it."""

MOST_PEOPLE = 50
DAY = timedelta(hours=24)
LISTS = {
    SubjectKind.POST: "admin:feed_post_changelist",
    SubjectKind.PERSON: "admin:accounts_user_changelist",
}

Row = tuple[Subject, str]
"""What it is, and how it is called."""


def posts_of_the_day(*, uids: Sequence[int]) -> list[int]:
    """What these people have published in the last 24 hours: one command each."""
    since = timezone.now() - DAY
    found: list[int] = []
    for uid in uids:
        found += feed.posts_since(author=uid, moment=since, limit=MOST + 1 - len(found))
        if len(found) > MOST:
            break
    return found


def bulk(request: HttpRequest) -> HttpResponseBase:
    """POST does it. GET with ``?person=`` asks what to do with what they have published today."""
    if request.method != "POST":
        uid = id_in(request.GET.get("person", ""))
        if uid is None:
            raise Http404("Nobody is chosen.")
        return ask(request, kind=SubjectKind.POST, ids=posts_of_the_day(uids=[uid]))
    kind = request.POST.get("kind", "")
    ids = [id_in(one) for one in request.POST.getlist("ids")]
    if kind not in LISTS or not ids or len(ids) > MOST or None in ids:
        raise BadRequest("Nothing is chosen, or too much.")
    rows = _rows(request, kind, [one for one in ids if one is not None])
    form = BulkForm(request.POST, subject_kind=kind, rules=decisions.rules())
    if not form.is_valid():
        return _page(request, kind, rows, form=form, status=400)
    failed = _do(moderator_of(request), rows, form)
    _tell(request, len(rows), failed)
    return redirect(LISTS[SubjectKind(kind)])


def ask(request: HttpRequest, *, kind: str, ids: Sequence[int]) -> HttpResponse:
    """The page with what is chosen, and what to do with it. Of too many the first are taken."""
    if len(ids) > MOST:
        text = _("These are the first %(number)s. Do it again for the others.")
        messages.warning(request, text % {"number": MOST})
    return _page(
        request,
        kind,
        _rows(request, kind, ids[:MOST]),
        form=BulkForm(subject_kind=kind, rules=decisions.rules()),
    )


def _page(
    request: HttpRequest, kind: str, rows: list[Row], *, form: BulkForm, status: int = 200
) -> HttpResponse:
    if kind == SubjectKind.PERSON:
        title = ngettext("Moderate %(count)s person", "Moderate %(count)s people", len(rows))
    else:
        title = ngettext("Moderate %(count)s post", "Moderate %(count)s posts", len(rows))
    context = page(
        request,
        title=title % {"count": len(rows)},
        kind=kind,
        rows=rows,
        form=form,
        back=LISTS[SubjectKind(kind)],
    )
    return render(request, "admin/moderation/bulk.html", context, status=status)


def _rows(request: HttpRequest, kind: str, ids: Sequence[int]) -> list[Row]:
    """Those that are there, and that the moderator may read: two commands."""
    if kind == SubjectKind.PERSON:
        people = selectors.named(uids=ids)
        return [(Subject(kind, uid, uid), str(people[uid])) for uid in ids if uid in people]
    posts = feed.posts_by_id(ids=ids)
    if not moderator_of(request).has_perm(selectors.READ_DIRECT):
        posts = [one for one in posts if one.visibility != Post.Visibility.DIRECT]
    # A share is no post of its own: what it brings is moderated where it is.
    posts = [one for one in posts if one.share_of is None]
    authors = selectors.named(uids=[one.author_id for one in posts])
    return [
        (
            Subject(kind, one.pk, one.author_id),
            f"{authors[one.author_id]}: {Truncator(one.text).chars(80)}",
        )
        for one in posts
    ]


def _do(moderator: User, rows: list[Row], form: BulkForm) -> Counter[str]:
    """What failed: names, with why, and how often."""
    failed: Counter[str] = Counter()
    how: dict[str, Any] = form.how
    for subject, name in rows:
        try:
            services.take_action(
                moderator=moderator, kind=form.cleaned_data["action"], subject=subject, **how
            )
        except PermissionDenied:
            failed[_("%(name)s (you may not)") % {"name": name}] += 1
        except services.CannotAct as error:
            failed[f"{name} ({error})"] += 1
    return failed


def _tell(request: HttpRequest, number: int, failed: Counter[str]) -> None:
    done = number - failed.total()
    text = ngettext("Done: %(count)s.", "Done: %(count)s.", done) % {"count": done}
    messages.success(request, text)
    if failed:
        names = ", ".join(list(failed)[:20])
        text = ngettext(
            "Not done: %(count)s. %(names)s", "Not done: %(count)s. %(names)s", failed.total()
        )
        messages.warning(request, text % {"count": failed.total(), "names": names})
