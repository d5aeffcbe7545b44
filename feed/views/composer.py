"""Take what the composer sends: publish it, save it as a draft, or schedule it."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from accounts.infra.rate_limits import RateLimited
from accounts.infra.refusals import Refused, TryLater
from accounts.request_guards import with_retry_after
from feed.forms import PostEditForm, PostForm
from feed.models import Picture
from feed.post_content import PostContent
from feed.selectors.post_view import PostView
from feed.services import drafts, posts
from feed.services.drafts import CannotSchedule
from feed.services.pictures import CannotAttach, save_pictures
from feed.store.drafts import Draft


def submit(
    request: HttpRequest,
    form: PostForm,
    *,
    quoted: PostView | None,
    quote_error: str,
    context: Mapping[str, Any],
    draft: Draft | None = None,
) -> HttpResponse:
    """Publish or save the post in the form, or show the form again with its errors.

    Args:
        quote_error: why the viewer cannot quote the post, "" otherwise.
        context: what the template needs besides the form.
        draft: the saved draft that the form changes.
    """
    if quote_error:
        form.add_error("text", quote_error)
    pictures = store_uploads(form)
    refusal: TryLater | None = form.try_later
    if form.is_valid() and not form.needs_descriptions:
        is_for_later = form.is_draft or form.due_at is not None
        content = form.content(
            picture_ids=[picture.pk for picture in pictures],
            quoted=quoted,
            is_for_later=is_for_later or draft is not None,
        )
        try:
            if draft is not None:
                return _change_draft(request, form, draft, content)
            if is_for_later:
                return _save_draft(request, form, content, quoted)
            return _publish(request, form, content, quoted)
        except (Refused, RateLimited) as error:
            _add_refusal(form, error)
            refusal = error if isinstance(error, RateLimited) else refusal
    form.set_pictures([picture for picture in pictures if picture.post is None])
    page = render(request, "feed/composer.html", {"form": form, **context}, status=422)
    return with_retry_after(page, refusal) if refusal else page


def store_uploads(form: PostForm | PostEditForm) -> list[Picture]:
    """Store the uploads of a form, even if other fields have errors, so that nobody uploads them again.

    Return the saved pictures in order, followed by the new ones. If the storage fails, the form gets an
    error.
    """
    form.is_valid()  # decodes the uploads
    owner = form.owner_uid
    pictures = save_pictures(owner=owner, described=form.saved_pictures, uploads=[])
    try:
        for upload in form.new_uploads:
            pictures += save_pictures(owner=owner, described=[], uploads=[upload])
    except TryLater as refusal:
        form.add_try_later(refusal)
    return pictures


def _publish(
    request: HttpRequest, form: PostForm, content: PostContent, quoted: PostView | None
) -> HttpResponse:
    posts.publish_post(
        author=form.owner_uid,
        content=content,
        quoted=quoted,
        idempotency_key=form.cleaned_data.get("idempotency_key", ""),
    )
    messages.success(request, _("Post published."), extra_tags=_browser_draft(form, quoted))
    return redirect("home")


def _save_draft(
    request: HttpRequest, form: PostForm, content: PostContent, quoted: PostView | None
) -> HttpResponse:
    drafts.save_draft(
        author=form.owner_uid,
        content=content,
        due_at=form.due_at,
        idempotency_key=form.cleaned_data.get("idempotency_key", ""),
    )
    return _confirm_saved(request, form, extra_tags=_browser_draft(form, quoted))


def _change_draft(
    request: HttpRequest, form: PostForm, draft: Draft, content: PostContent
) -> HttpResponse:
    due_at = form.due_at_of(draft=draft)
    changed = drafts.change_draft(draft=draft, due_at=due_at, content=content)
    if form.is_draft or due_at is not None:
        return _confirm_saved(request, form)
    return publish_draft(request, changed)


def publish_draft(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Publish a draft. Raises the exceptions of ``services.drafts.publish_draft``."""
    drafts.publish_draft(draft=draft)
    done = _("Comment published.") if draft.reply_to_id else _("Post published.")
    messages.success(request, done)
    return redirect("home")


def _browser_draft(form: PostForm, quoted: PostView | None) -> str:
    """Return the key of the text that the browser stored while the user typed a post (`_composer.html`).

    A message with this tag makes the browser forget the text.
    """
    return f"{form.owner_uid}:quote:{quoted.id}" if quoted else f"{form.owner_uid}:post"


def _add_refusal(form: PostForm, error: Exception) -> None:
    """Show why a post was not published or saved, beside the field that the user can change."""
    field = "text"
    if isinstance(error, CannotSchedule):
        field = "publish_at"
    elif isinstance(error, CannotAttach):
        field = "pictures"
    form.add_error(field, str(error))


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
