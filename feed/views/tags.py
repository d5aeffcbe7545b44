"""Forms to follow and unfollow a hashtag, and the settings page for hashtags on the profile.

``timelines.show_tag`` shows the posts with a hashtag, ``show_trending_tags`` the hashtags that are active.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.infra.refusals import Refused
from accounts.request_guards import RefusalsIn, form_page
from accounts.viewer import next_url, signed_in_user
from feed.forms.lists_and_filters import FeaturedTagForm
from feed.models import MAX_TEXT_LENGTH
from feed.selectors.featured_content import featured_tags, suggested_tags
from feed.services import tags
from feed.services.tags import feature_tag, unfeature_tag
from feed.text.hashtags import is_tag_key, tag_key
from feed.text.renderer import tag_path


def tag_key_or_404(tag: str) -> str:
    """Return the normalized form of a hashtag in a URL. Raises Http404 for an invalid hashtag."""
    key = tag_key(tag) if len(tag) <= MAX_TEXT_LENGTH else ""
    if not is_tag_key(key):
        raise Http404("No such hashtag.")
    return key


@require_POST
def follow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    try:
        tags.follow_tag(uid=signed_in_user(request).pk, tag=key)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(next_url(request, default=tag_path(key)))


@require_POST
def unfollow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    tags.unfollow_tag(uid=signed_in_user(request).pk, tag=key)
    return redirect(next_url(request, default=tag_path(key)))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_featured_tags(request: HttpRequest) -> HttpResponse:
    """Show the viewer's featured hashtags, suggestions, and a form to add one."""
    author = signed_in_user(request).pk
    form = FeaturedTagForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form, "name"):
            feature_tag(author=author, name=form.cleaned_data["name"])
            messages.success(request, _("Hashtag added to your profile."))
            return redirect("featured_tags")
    tags = featured_tags(author=author)
    suggestions = suggested_tags(author=author, excluded=[row.tag for row in tags])
    return form_page(request, "feed/featured_tags.html", form, tags=tags, suggestions=suggestions)


@require_POST
@login_required
def remove_featured_tag(request: HttpRequest, featured_id: int) -> HttpResponse:
    unfeature_tag(author=signed_in_user(request).pk, featured_id=featured_id)
    messages.success(request, _("Hashtag removed from your profile."))
    return redirect("featured_tags")
