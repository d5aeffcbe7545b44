"""Saying who one is, at log-in and later; whoever tries too often is told when to come again."""

from typing import Any

from allauth.account import views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from accounts.throttling import say_wait

A_MINUTE = "60"
"""For that long allauth counts what has no words of its own."""


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
    response = render(request, "429.html", status=429)
    response["Retry-After"] = A_MINUTE
    return response
