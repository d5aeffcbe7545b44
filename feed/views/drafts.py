"""Pages to list, edit, schedule, publish and delete drafts."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra.cursors import cursor_param
from accounts.infra.rate_limits import RateLimited
from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.request_guards import with_retry_after
from accounts.viewer import signed_in_user
from feed.forms import PostForm
from feed.forms.posts import unreached_message
from feed.selectors.drafts import draft_view, drafts_page, own_draft
from feed.selectors.pages import PostView
from feed.services import drafts as services
from feed.services.drafts import CannotSchedule, DraftChanged
from feed.services.pictures import CannotAttach
from feed.services.posts import mentioned_without_access
from feed.store.drafts import Arguments, Draft

from .quotes import post_or_reason, quoted_post
from .reply_drafts import edit_reply_draft


@require_safe
@login_required
def show_drafts(request: HttpRequest, *, is_scheduled: bool = False) -> HttpResponse:
    page = drafts_page(
        owner=signed_in_user(request).pk,
        is_scheduled=is_scheduled,
        offset=cursor_param(request, "offset") or 0,
    )
    return render(request, "feed/drafts.html", {"page": page, "is_scheduled": is_scheduled})


def save_for_later(
    request: HttpRequest, form: PostForm, picture_ids: Sequence[int], quoted: PostView | None
) -> HttpResponse:
    """Save a new draft or scheduled post from a valid form of the composer.

    Raises the exceptions of ``services.drafts.save_draft``.
    """
    author = signed_in_user(request).pk
    services.save_draft(
        author=author,
        arguments=form.draft_arguments(quoted=quoted),
        picture_ids=picture_ids,
        due_at=form.due_at,
        idempotency_key=form.cleaned_data.get("idempotency_key", ""),
    )
    return _confirm_saved(request, form, extra_tags=browser_draft(author=author, quoted=quoted))


def browser_draft(*, author: int, quoted: PostView | None) -> str:
    """Return the key of the text that the browser stored while the user typed a post (`_composer.html`).

    A message with this tag makes the browser forget the text.
    """
    return f"{author}:quote:{quoted.id}" if quoted else f"{author}:post"


def add_refusal(form: PostForm, error: Exception) -> None:
    """Show why a post was not published or saved, beside the field that the user can change."""
    field = "text"
    if isinstance(error, CannotSchedule):
        field = "publish_at"
    elif isinstance(error, CannotAttach):
        field = "pictures"
    form.add_error(field, str(error))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Change a draft or scheduled post, schedule it, or publish it now."""
    user = signed_in_user(request)
    draft = own_draft(owner=user.pk, draft_id=draft_id)
    if draft.reply_to_id:
        return edit_reply_draft(request, draft)
    initial = {
        **draft.arguments,
        **draft.arguments["values"],
        "media": list(draft.picture_ids),
        "publish_at": draft.due_at,
        "is_media_sensitive": user.has_sensitive_media,
    }
    if request.method != "POST":
        quoted, quote_error = _quoted_post(draft)
        if quote_error:
            messages.error(request, quote_error)
        context: dict[str, Any] = {"saved_draft": draft, "quoted": quoted}
        form = PostForm(initial=initial, owner=user, kind=draft.arguments["kind"])
        return render(request, "feed/composer.html", {"form": form, **context})
    quoted, quote_error = quoted_post(request)
    context = {"saved_draft": draft, "quoted": quoted}
    form = PostForm(
        request.POST,
        request.FILES,
        initial=initial,
        owner=user,
        kind=draft.arguments["kind"],
    )
    if quote_error:
        form.add_error("text", quote_error)
    pictures = form.save_pictures()
    is_valid = form.is_valid() and not form.needs_descriptions
    refusal = form.try_later
    if is_valid:
        try:
            arguments = form.draft_arguments(quoted=quoted)
            picture_ids = [picture.pk for picture in pictures]
            return _save_changes(request, form, draft, arguments, picture_ids)
        except (Refused, RateLimited) as error:
            add_refusal(form, error)
            refusal = error if isinstance(error, RateLimited) else refusal
    form.set_pictures([picture for picture in pictures if picture.post is None])
    response = render(request, "feed/composer.html", {"form": form, **context}, status=422)
    return with_retry_after(response, refusal) if refusal else response


def _save_changes(
    request: HttpRequest,
    form: PostForm,
    draft: Draft,
    arguments: Arguments,
    picture_ids: list[int],
) -> HttpResponse:
    due_at = form.due_at_of(draft=draft)
    changed = services.change_draft(
        draft=draft, due_at=due_at, arguments=arguments, picture_ids=picture_ids
    )
    if form.is_draft or due_at is not None:
        return _confirm_saved(request, form)
    return _publish(request, changed)


@require_POST
@login_required
def publish_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    user = signed_in_user(request)
    try:
        draft = own_draft(owner=user.pk, draft_id=draft_id)
    except Http404:
        if services.published_id(author=user.pk, draft_id=draft_id) is None:
            raise
        return redirect("home")  # a second click
    if _lacks_required_descriptions(user, draft):
        messages.error(
            request, _("Describe your pictures first. You chose this under Settings, Privacy.")
        )
        return redirect("edit_draft", draft.id)
    unreached_names = mentioned_without_access(
        author=user.pk, text=draft.arguments["text"], visibility=draft.arguments["visibility"]
    )
    if unreached_names and "confirm_unreached" not in request.POST:
        context = {"draft": draft_view(draft=draft), "message": unreached_message(unreached_names)}
        return render(request, "feed/draft_publish.html", context, status=422)
    try:
        return _publish(request, draft)
    except Refused as error:
        messages.error(request, str(error))
        if isinstance(error, DraftChanged):
            return redirect("drafts")
        return redirect("edit_draft", draft.id)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    draft = own_draft(owner=signed_in_user(request).pk, draft_id=draft_id)
    name = "drafts" if draft.due_at is None else "scheduled_posts"
    if request.method == "POST":
        try:
            services.delete_draft(draft=draft)
        except DraftChanged as error:
            messages.error(request, str(error))
        else:
            is_scheduled = draft.due_at is not None
            done = _("Scheduled post deleted.") if is_scheduled else _("Draft deleted.")
            messages.success(request, done)
        return redirect(name)
    context = {"draft": draft_view(draft=draft), "list_name": name}
    return render(request, "feed/draft_delete.html", context)


def _quoted_post(draft: Draft) -> tuple[PostView | None, str]:
    """Return the post that the draft quotes, or the reason why its author cannot quote it any more."""
    post_id = draft.arguments["quoted_id"]
    return post_or_reason(post_id=post_id, author=draft.owner) if post_id else (None, "")


def _publish(request: HttpRequest, draft: Draft) -> HttpResponse:
    services.publish_draft(draft=draft)
    done = _("Comment published.") if draft.reply_to_id else _("Post published.")
    messages.success(request, done)
    return redirect("home")


def _lacks_required_descriptions(user: User, draft: Draft) -> bool:
    if user.description_reminder != User.DescriptionReminder.REQUIRE:
        return False
    return not all(picture.alt for picture in draft_view(draft=draft).pictures)


def _confirm_saved(request: HttpRequest, form: PostForm, extra_tags: str = "") -> HttpResponse:
    if form.due_at is None:
        messages.success(request, _("Draft saved."), extra_tags=extra_tags)
        return redirect("drafts")
    due_at = timezone.localtime(form.due_at)
    text = _("Scheduled. Your post will be published on %(date)s at %(time)s.") % {
        "date": formats.date_format(due_at, "DATE_FORMAT"),
        "time": f"{formats.date_format(due_at, 'TIME_FORMAT')} ({due_at:%Z})",
    }
    messages.success(request, text, extra_tags=extra_tags)
    return redirect("scheduled_posts")
