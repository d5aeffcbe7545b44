"""Bulk actions: the same action against many posts or users, for example in a wave of spam.

Each subject gets its own action, with its own permission check and undo. The result page names the subjects
that failed. Repeating the bulk action takes only the missing actions.
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

from accounts.infra.cursors import parse_id
from accounts.infra.plain_text import join_names
from accounts.models import User
from accounts.selectors.user_names import names_by_uid
from feed.models import Post
from feed.selectors.stored_content import post_ids_since, posts_by_id
from socialsite.moderation import decisions
from socialsite.moderation.forms import BulkActionForm
from socialsite.moderation.models import SubjectKind
from socialsite.moderation.selectors.reported_content import READ_DIRECT
from socialsite.moderation.services.actions import CannotAct, take_action
from socialsite.moderation.subjects import Subject

from .access import page_context, signed_in_moderator

MAX_SUBJECTS = 200
"""The moderator waits for all actions of a bulk action. Each action takes some hundredths of a second."""
MAX_USERS = 50
RECENT = timedelta(hours=24)
CHANGELIST_URL_NAMES = {
    SubjectKind.POST: "admin:feed_post_changelist",
    SubjectKind.USER: "admin:accounts_user_changelist",
}

LabeledSubject = tuple[Subject, str]
"""A subject with the text that names it on the page."""


def recent_post_ids(*, uids: Sequence[int]) -> list[int]:
    """Return the ids of these users' posts of the last 24 hours. Runs one command per user."""
    since = timezone.now() - RECENT
    post_ids: list[int] = []
    for uid in uids:
        limit = MAX_SUBJECTS + 1 - len(post_ids)
        post_ids += post_ids_since(author=uid, since=since, limit=limit)
        if len(post_ids) > MAX_SUBJECTS:
            break
    return post_ids


def bulk_action(request: HttpRequest) -> HttpResponseBase:
    """Take the action (POST), or show the form for a user's recent posts (GET with ``?person=``)."""
    if request.method != "POST":
        uid = parse_id(request.GET.get("person", ""))
        if uid is None:
            raise Http404("No user selected.")
        return bulk_confirmation(request, kind=SubjectKind.POST, ids=recent_post_ids(uids=[uid]))
    kind = request.POST.get("kind", "")
    ids = [parse_id(text) for text in request.POST.getlist("ids")]
    if kind not in CHANGELIST_URL_NAMES or not ids or len(ids) > MAX_SUBJECTS or None in ids:
        raise BadRequest("Nothing selected, or too much.")
    rows = _labeled_subjects(
        request, kind, [subject_id for subject_id in ids if subject_id is not None]
    )
    form = BulkActionForm(request.POST, subject_kind=kind, rules=decisions.rules())
    if not form.is_valid():
        return _render_page(request, kind, rows, form=form, status=400)
    failures = _take_actions(signed_in_moderator(request), rows, form)
    _add_result_messages(request, len(rows), failures)
    return redirect(CHANGELIST_URL_NAMES[SubjectKind(kind)])


def bulk_confirmation(request: HttpRequest, *, kind: str, ids: Sequence[int]) -> HttpResponse:
    """Show the selected subjects and the form. Only the first ``MAX_SUBJECTS`` are included."""
    if len(ids) > MAX_SUBJECTS:
        text = _("Only the first %(number)s items are included. Repeat the action for the others.")
        messages.warning(request, text % {"number": MAX_SUBJECTS})
    return _render_page(
        request,
        kind,
        _labeled_subjects(request, kind, ids[:MAX_SUBJECTS]),
        form=BulkActionForm(subject_kind=kind, rules=decisions.rules()),
    )


def _render_page(
    request: HttpRequest,
    kind: str,
    rows: list[LabeledSubject],
    *,
    form: BulkActionForm,
    status: int = 200,
) -> HttpResponse:
    if kind == SubjectKind.USER:
        title = ngettext("Moderate %(count)s user", "Moderate %(count)s users", len(rows))
    else:
        title = ngettext("Moderate %(count)s post", "Moderate %(count)s posts", len(rows))
    context = page_context(
        request,
        title=title % {"count": len(rows)},
        kind=kind,
        rows=rows,
        form=form,
        changelist_url_name=CHANGELIST_URL_NAMES[SubjectKind(kind)],
    )
    return render(request, "admin/moderation/bulk_action.html", context, status=status)


def _labeled_subjects(request: HttpRequest, kind: str, ids: Sequence[int]) -> list[LabeledSubject]:
    """Return the subjects that exist and that the moderator may read. Runs at most two commands."""
    if kind == SubjectKind.USER:
        names = names_by_uid(uids=ids)
        return [(Subject(kind, uid, uid), str(names[uid])) for uid in ids if uid in names]
    posts = posts_by_id(ids=ids)
    if not signed_in_moderator(request).has_perm(READ_DIRECT):
        posts = [post for post in posts if post.visibility != Post.Visibility.DIRECT]
    # Moderators act on the shared post, not on shares.
    posts = [post for post in posts if post.share_of is None]
    authors = names_by_uid(uids=[post.author_id for post in posts])
    return [
        (
            Subject(kind, post.pk, post.author_id),
            f"{authors[post.author_id]}: {Truncator(post.text).chars(80)}",
        )
        for post in posts
    ]


def _take_actions(
    moderator: User, rows: list[LabeledSubject], form: BulkActionForm
) -> Counter[str]:
    """Take the actions. Return how often each failure occurred, by a text with the name and the reason."""
    failures: Counter[str] = Counter()
    options: dict[str, Any] = form.action_options
    for subject, name in rows:
        try:
            take_action(
                moderator=moderator, kind=form.cleaned_data["action"], subject=subject, **options
            )
        except PermissionDenied:
            failures[_("%(name)s (no permission)") % {"name": name}] += 1
        except CannotAct as error:
            failures[f"{name} ({error})"] += 1
    return failures


def _add_result_messages(request: HttpRequest, subject_count: int, failures: Counter[str]) -> None:
    success_count = subject_count - failures.total()
    text = ngettext("Done: %(count)s.", "Done: %(count)s.", success_count)
    messages.success(request, text % {"count": success_count})
    if failures:
        names = join_names(list(failures)[:20])
        text = ngettext(
            "Failed: %(count)s. %(names)s", "Failed: %(count)s. %(names)s", failures.total()
        )
        messages.warning(request, text % {"count": failures.total(), "names": names})
