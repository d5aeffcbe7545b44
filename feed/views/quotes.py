"""Find the post that the composer quotes, and remove the viewer's own post from a quote."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.infra.cursors import parse_id
from accounts.viewer import signed_in_user
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.services import quotes


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
