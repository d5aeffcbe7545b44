"""The page on which a viewer chooses the languages in which to see the posts of a followed user."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.selectors.profiles import get_profile_or_404
from accounts.services.follow_settings import set_languages
from accounts.viewer import signed_in_user
from feed.forms.follow_languages import FollowLanguagesForm
from feed.selectors.featured_content import newest_languages


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose_follow_languages(request: HttpRequest, username: str) -> HttpResponse:
    """Show the languages, first those of the user's newest posts. Save the choice on POST."""
    user = signed_in_user(request)
    profile = get_profile_or_404(username=username, viewer=user.pk)
    person = profile.user_card
    if not (profile.is_following or profile.is_requested):
        messages.error(
            request,
            _("Follow %(name)s first to choose languages.") % {"name": person.display_name},
        )
        return redirect(person.url)
    form = FollowLanguagesForm(
        request.POST if request.method == "POST" else None, chosen=profile.languages
    )
    if form.is_valid():
        languages = form.cleaned_data["languages"]
        set_languages(follower=user.pk, followee=person.uid, languages=languages)
        messages.success(request, _("Languages saved."))
        return redirect(person.url)
    suggested = profile.languages | {user.post_language}
    if profile.can_view_posts:
        suggested |= set(newest_languages(author=person.uid))
    field: Any = form.fields["languages"]
    context = {
        "person": person,
        "form": form,
        "chosen": profile.languages,
        "suggested": [choice for choice in field.choices if choice[0] in suggested],
        "others": [choice for choice in field.choices if choice[0] not in suggested],
    }
    status = 422 if form.is_bound else 200
    return render(request, "feed/follow_languages.html", context, status=status)
