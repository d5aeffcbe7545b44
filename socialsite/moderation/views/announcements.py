"""Dismiss an announcement at the top of the pages."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.viewer import next_url, signed_in_user
from socialsite.moderation import decisions


@require_POST
@login_required
def dismiss(request: HttpRequest, announcement_id: int) -> HttpResponse:
    decisions.dismiss(announcement_id=announcement_id, user=signed_in_user(request))
    return redirect(next_url(request, default="home"))
