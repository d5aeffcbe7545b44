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

from accounts.infra.paging import parse_id
from accounts.models import User
from feed.models import Post
from feed.selectors.made import post_ids_since, posts_by_id
from socialsite.moderation import decisions
from socialsite.moderation.forms.moderators import BulkActionForm
from socialsite.moderation.models import SubjectKind
from socialsite.moderation.selectors.reported_content import READ_DIRECT
from socialsite.moderation.selectors.user_names import names_by_uid
from socialsite.moderation.services.actions import CannotAct, take_action
from socialsite.moderation.subjects import Subject

from .access import page_context, signed_in_moderator

MAX_SUBJECTS = 200
"""At once: each takes some hundredths of a second, and somebody waits for it."""

MAX_USERS = 50
RECENT = timedelta(hours=24)
CHANGELIST_URL_NAMES = {
    SubjectKind.POST: "admin:feed_post_changelist",
    SubjectKind.USER: "admin:accounts_user_changelist",
}

LabeledSubject = tuple[Subject, str]
"""What it is, and how it is called."""


def recent_post_ids(*, uids: Sequence[int]) -> list[int]:
    """What these people have published in the last 24 hours: one command each."""
    since = timezone.now() - RECENT
    found: list[int] = []
    for uid in uids:
        found += post_ids_since(author=uid, since=since, limit=MAX_SUBJECTS + 1 - len(found))
        if len(found) > MAX_SUBJECTS:
            break
    return found


def bulk_action(request: HttpRequest) -> HttpResponseBase:
    """POST does it. GET with ``?person=`` asks what to do with what they have published today."""
    if request.method != "POST":
        uid = parse_id(request.GET.get("person", ""))
        if uid is None:
            raise Http404("Nobody is chosen.")
        return bulk_confirmation(request, kind=SubjectKind.POST, ids=recent_post_ids(uids=[uid]))
    kind = request.POST.get("kind", "")
    ids = [parse_id(one) for one in request.POST.getlist("ids")]
    if kind not in CHANGELIST_URL_NAMES or not ids or len(ids) > MAX_SUBJECTS or None in ids:
        raise BadRequest("Nothing is chosen, or too much.")
    rows = _rows(request, kind, [one for one in ids if one is not None])
    form = BulkActionForm(request.POST, subject_kind=kind, rules=decisions.rules())
    if not form.is_valid():
        return _page(request, kind, rows, form=form, status=400)
    failed = _do(signed_in_moderator(request), rows, form)
    _tell(request, len(rows), failed)
    return redirect(CHANGELIST_URL_NAMES[SubjectKind(kind)])


def bulk_confirmation(request: HttpRequest, *, kind: str, ids: Sequence[int]) -> HttpResponse:
    """The page with what is chosen, and what to do with it. Of too many the first are taken."""
    if len(ids) > MAX_SUBJECTS:
        text = _("These are the first %(number)s. Do it again for the others.")
        messages.warning(request, text % {"number": MAX_SUBJECTS})
    return _page(
        request,
        kind,
        _rows(request, kind, ids[:MAX_SUBJECTS]),
        form=BulkActionForm(subject_kind=kind, rules=decisions.rules()),
    )


def _page(
    request: HttpRequest,
    kind: str,
    rows: list[LabeledSubject],
    *,
    form: BulkActionForm,
    status: int = 200,
) -> HttpResponse:
    if kind == SubjectKind.USER:
        title = ngettext("Moderate %(count)s person", "Moderate %(count)s people", len(rows))
    else:
        title = ngettext("Moderate %(count)s post", "Moderate %(count)s posts", len(rows))
    context = page_context(
        request,
        title=title % {"count": len(rows)},
        kind=kind,
        rows=rows,
        form=form,
        back=CHANGELIST_URL_NAMES[SubjectKind(kind)],
    )
    return render(request, "admin/moderation/bulk.html", context, status=status)


def _rows(request: HttpRequest, kind: str, ids: Sequence[int]) -> list[LabeledSubject]:
    """Those that are there, and that the moderator may read: two commands."""
    if kind == SubjectKind.USER:
        people = names_by_uid(uids=ids)
        return [(Subject(kind, uid, uid), str(people[uid])) for uid in ids if uid in people]
    posts = posts_by_id(ids=ids)
    if not signed_in_moderator(request).has_perm(READ_DIRECT):
        posts = [one for one in posts if one.visibility != Post.Visibility.DIRECT]
    # A share is no post of its own: what it brings is moderated where it is.
    posts = [one for one in posts if one.share_of is None]
    authors = names_by_uid(uids=[one.author_id for one in posts])
    return [
        (
            Subject(kind, one.pk, one.author_id),
            f"{authors[one.author_id]}: {Truncator(one.text).chars(80)}",
        )
        for one in posts
    ]


def _do(moderator: User, rows: list[LabeledSubject], form: BulkActionForm) -> Counter[str]:
    """What failed: names, with why, and how often."""
    failed: Counter[str] = Counter()
    how: dict[str, Any] = form.action_options
    for subject, name in rows:
        try:
            take_action(
                moderator=moderator, kind=form.cleaned_data["action"], subject=subject, **how
            )
        except PermissionDenied:
            failed[_("%(name)s (you may not)") % {"name": name}] += 1
        except CannotAct as error:
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
