"""Saying who one is, at log-in and later; whoever tries too often is told when to come again."""

from typing import Any

from allauth.account import views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from accounts.limits import duration
from accounts.throttling import say_wait, seconds_to_wait


class LogInView(views.LoginView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return say_wait(request=self.request, response=super().form_invalid(form))


class ReauthenticateView(views.ReauthenticateView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return say_wait(request=self.request, response=super().form_invalid(form))


log_in = LogInView.as_view()
reauthenticate = ReauthenticateView.as_view()


@never_cache
def too_many(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """How allauth answers where it has no words of its own."""
    seconds = seconds_to_wait(request=request)
    wait = "" if seconds is None else duration(seconds=seconds)
    response = render(request, "429.html", {"wait": wait}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response
