"""Take what the composer sends: publish it, save it as a draft, or schedule it. Also the quotes in it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.infra.cursors import parse_id
from accounts.infra.refusals import TryLater
from accounts.request_guards import RefusalsIn, form_page
from accounts.viewer import signed_in_user
from feed.forms.posts import PostEditForm, PostForm
from feed.models import Picture
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.services import drafts, posts, quotes
from feed.services.drafts import CannotSchedule
from feed.services.pictures import CannotAttach, save_descriptions, save_picture
from feed.store.drafts import Draft

FIELDS = {CannotSchedule: "publish_at", CannotAttach: "pictures"}
"""The fields that show these refusals."""


def compose(
    request: HttpRequest,
    *,
    initial: dict[str, Any],
    kind: str,
    quoted: PostView | None,
    quote_error: str,
    draft: Draft | None = None,
    **context: Any,
) -> HttpResponse:
    """Show the composer. On POST, publish or save the post in it, or show it again with its errors.

    Args:
        initial: the initial values of the fields.
        quote_error: why the viewer cannot quote the post, "" otherwise.
        draft: the saved draft that the form changes.
        context: what the template needs besides.
    """
    user, context = signed_in_user(request), {**context, "quoted": quoted, "saved_draft": draft}
    if request.method != "POST":
        if quote_error:
            messages.error(request, quote_error)
        form = PostForm(initial=initial, owner=user, kind=kind)
        return form_page(request, "feed/composer.html", form, **context)
    form = PostForm(request.POST, request.FILES, initial=initial, owner=user, kind=kind)
    if quote_error:
        form.add_error("text", quote_error)
    pictures = store_uploads(form)
    if form.is_valid() and not form.needs_descriptions:
        is_for_later = form.is_draft or form.due_at is not None
        content = form.content(
            picture_ids=[picture.pk for picture in pictures],
            quoted=quoted,
            is_for_later=is_for_later or draft is not None,
        )
        with RefusalsIn(form, "text", FIELDS):
            if draft is not None:
                due_at = form.due_at_of(draft=draft)
                changed = drafts.change_draft(draft=draft, due_at=due_at, content=content)
                if form.is_draft or due_at is not None:
                    return _confirm_saved(request, form)
                return publish_draft(request, changed)
            key = form.cleaned_data.get("idempotency_key", "")
            # The key of the text that the browser stored while the user typed (`_composer.html`). A message
            # with this tag makes the browser forget the text.
            browser_draft = f"{user.pk}:quote:{quoted.id}" if quoted else f"{user.pk}:post"
            if is_for_later:
                drafts.save_draft(
                    author=user.pk, content=content, due_at=form.due_at, idempotency_key=key
                )
                return _confirm_saved(request, form, extra_tags=browser_draft)
            posts.publish_post(author=user.pk, content=content, quoted=quoted, idempotency_key=key)
            messages.success(request, _("Post published."), extra_tags=browser_draft)
            return redirect("home")
    form.set_pictures([picture for picture in pictures if picture.post is None])
    return form_page(request, "feed/composer.html", form, **context)


def store_uploads(form: PostForm | PostEditForm) -> list[Picture]:
    """Store the uploads of a form, even if other fields have errors, so that nobody uploads them again.

    Return the saved pictures in order, followed by the new ones. If the storage fails, the form gets an
    error.
    """
    form.is_valid()  # decodes the uploads
    owner = form.owner_uid
    pictures = [*form.saved_pictures]
    save_descriptions(owner=owner, pictures=pictures)
    try:
        for upload in form.new_uploads:
            pictures += [save_picture(owner=owner, decoded=upload)]  # keeps those before a failure
    except TryLater as refusal:
        form.add_try_later(refusal)
    return pictures


def publish_draft(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Publish a draft. Raises the exceptions of ``services.drafts.publish_draft``."""
    drafts.publish_draft(draft=draft)
    done = _("Comment published.") if draft.reply_to_id else _("Post published.")
    messages.success(request, done)
    return redirect("home")


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


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def revoke_quote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Ask before the viewer's own post is removed from the post that quotes it, and remove it."""
    user = signed_in_user(request)
    post = visible_post(post_id=post_id, viewer=user.pk)
    if post.quote is not None and post.quote.state == "revoked":
        return redirect(post.url)
    quoted = post.quote.post if post.quote else None
    if quoted is None or not quoted.is_own:
        raise Http404("No such quote.")
    if request.method != "POST":
        return render(request, "feed/quote_revoke.html", {"post": post})
    quotes.revoke_quote(quoted=quoted, quoting_id=post.id, actor=user)
    messages.success(request, _("The quote no longer shows your post."))
    return redirect(post.url)


def quoted_post(request: HttpRequest) -> tuple[PostView | None, str]:
    """Return the post that the composer quotes, or the reason why the viewer cannot quote it.

    Without a quote, the post is None and the reason is "".
    """
    value = request.POST.get("quote") or request.GET.get("quote")
    if not value:
        return None, ""
    return post_or_reason(post_id=parse_id(value) or 0, author=signed_in_user(request).pk)


def post_or_reason(*, post_id: int, author: int) -> tuple[PostView | None, str]:
    """Return the post that ``author`` wants to quote, or the reason why that is not possible."""
    try:
        return quotes.quotable_post(post_id=post_id, author=author), ""
    except quotes.CannotQuote as error:
        return None, str(error)
