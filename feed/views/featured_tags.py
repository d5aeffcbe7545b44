"""The settings page for hashtags on the profile."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.viewer import signed_in_user
from feed.forms import FeaturedTagForm
from feed.selectors.featured_content import featured_tags, suggested_tags
from feed.services.featured_tags import CannotFeatureTag, feature_tag, unfeature_tag


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_featured_tags(request: HttpRequest) -> HttpResponse:
    """Show the viewer's featured hashtags, suggestions, and a form to add one."""
    author = signed_in_user(request).pk
    form = FeaturedTagForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            feature_tag(author=author, name=form.cleaned_data["name"])
        except CannotFeatureTag as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("Hashtag added to your profile."))
            return redirect("featured_tags")
    tags = featured_tags(author=author)
    context = {
        "tags": tags,
        "suggestions": suggested_tags(author=author, excluded=[row.tag for row in tags]),
        "form": form,
    }
    return render(request, "feed/featured_tags.html", context, status=422 if form.is_bound else 200)


@require_POST
@login_required
def remove_featured_tag(request: HttpRequest, featured_id: int) -> HttpResponse:
    unfeature_tag(author=signed_in_user(request).pk, featured_id=featured_id)
    messages.success(request, _("Hashtag removed from your profile."))
    return redirect("featured_tags")
